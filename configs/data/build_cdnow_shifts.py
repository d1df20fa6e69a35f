"""cdnow-shifts.csv.gz from cdnow.csv: three folds by a hash of the id, and a soft model.

The soft model is made on the fold `train`: gradient boosting for seven quantiles of the spend.
Needs pandas and scikit-learn (1.9.1 was used):  python build_cdnow_shifts.py
"""
import gzip, hashlib
import numpy as np, pandas as pd
from sklearn.ensemble import HistGradientBoostingRegressor
d=pd.read_csv('cdnow.csv',dtype={'customer_id':str})
names=['train','fit','test']
d['fold']=[names[int(hashlib.sha256(i.encode()).hexdigest(),16)%3] for i in d.customer_id]
F=d[['n_orders','n_cds','recency_days','age_days','avg_order','score_total_cal','score_last91','score_clv_bgnbd_gg']]
on=(d.fold=='train').to_numpy(); levels=[0.2,0.5,0.6,0.7,0.8,0.9,0.95]
q=np.column_stack([HistGradientBoostingRegressor(loss='quantile',quantile=a,max_iter=100,learning_rate=0.05,max_leaf_nodes=8,min_samples_leaf=100,random_state=0).fit(F[on],d.y_spend_hold[on]).predict(F) for a in levels])
q=np.sort(np.maximum(q,0.0),axis=1).round(4)
for k,a in enumerate(levels): d[f'gbm_q{round(100*a)}']=q[:,k]
keep=['customer_id','fold','segment','y_spend_hold','score_clv_bgnbd_gg','score_gbm_time','score_last91',*[f'gbm_q{round(100*a)}' for a in levels]]
with gzip.GzipFile('cdnow-shifts.csv.gz','wb',mtime=0) as f: f.write(d[keep].to_csv(index=False).encode())
print(d.fold.value_counts())
