"""What models do, one value a task: no other file asks which task it is."""

from reportgen.tasks.binary import BINARY
from reportgen.tasks.finished import FINISHED
from reportgen.tasks.multiclass import MULTICLASS
from reportgen.tasks.multilabel import MULTILABEL
from reportgen.tasks.ranking import RANKING
from reportgen.tasks.regression import REGRESSION
from reportgen.tasks.task import FirstConfig as FirstConfig
from reportgen.tasks.task import Predictions as Predictions
from reportgen.tasks.task import Task as Task
from reportgen.tasks.task import TaskName as TaskName

TASKS: dict[str, Task] = {
    task.name: task for task in (REGRESSION, BINARY, MULTICLASS, MULTILABEL, RANKING, FINISHED)
}
PLANNED: tuple[str, ...] = ()
"""Tasks that the language has a name for, but that are not built yet."""
OF_ARRAYS = REGRESSION
"""The task of arrays that come without one."""
