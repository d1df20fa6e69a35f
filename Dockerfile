# Two stages: a wheel is built with a compiler, and the image that runs has none, and no root.
FROM python:3.12.8-slim-bookworm AS build
RUN apt-get update && apt-get install -y --no-install-recommends gcc libc6-dev \
    && rm -rf /var/lib/apt/lists/*
COPY LICENSE README.md constraints.txt MANIFEST.in pyproject.toml setup.py /src/
COPY reportgen /src/reportgen
COPY templates /src/templates
RUN pip wheel --no-cache-dir --constraint /src/constraints.txt --wheel-dir /wheels /src

FROM python:3.12.8-slim-bookworm
COPY --from=build /wheels /wheels
RUN pip install --no-cache-dir --no-index --find-links /wheels reportgen-compare \
    && rm -rf /wheels && useradd --create-home reportgen \
    && python -m compileall -q "$(python -c 'import sysconfig; print(sysconfig.get_path("purelib"))')"
ENV MPLCONFIGDIR=/tmp/matplotlib XDG_CACHE_HOME=/tmp/cache
USER reportgen
WORKDIR /work
ENTRYPOINT ["reportgen"]
