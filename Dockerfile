# The project and its environment on Debian 12.
#   docker build -t reproduction .        (or: buildah build -t reproduction .)
#   docker run --rm reproduction verify 'sin(x)^2 + cos(x)^2 = 1'
#   docker run --rm -p 8000:8000 reproduction serve --host 0.0.0.0
#   docker run --rm -v "$PWD/work:/work" --entrypoint ./run_all.sh reproduction --workspace /work
FROM debian:12-slim
RUN apt-get update \
    && apt-get install --no-install-recommends -y python3-venv python3-dev build-essential \
    && rm -rf /var/lib/apt/lists/*
WORKDIR /reproduction
COPY . .
RUN ./run_all.sh setup
ENTRYPOINT ["./.venv/bin/python", "-m", "reproduction"]
CMD ["--help"]
