# syntax=docker/dockerfile:1
FROM node:24-bookworm-slim AS build
WORKDIR /app
COPY package.json package-lock.json .npmrc ./
RUN npm ci
COPY . .
RUN npm run build && npm prune --omit=dev

FROM node:24-bookworm-slim
ENV NODE_ENV=production \
    TRUNKLINE_HOME=/var/lib/trunkline
WORKDIR /app
RUN install -d -o node -g node /var/lib/trunkline
COPY --from=build /app/package.json ./
COPY --from=build /app/bin ./bin
COPY --from=build /app/node_modules ./node_modules
COPY --from=build /app/dist ./dist
USER node
VOLUME /var/lib/trunkline
EXPOSE 3000/tcp 5060/udp 5060/tcp 5061/tcp 20000-20999/udp
# Each role answers /health/live on HEALTH_PORT; the api answers it on PORT.
HEALTHCHECK --interval=10s --timeout=3s --start-period=20s --retries=3 \
  CMD ["node", "-e", "fetch(`http://127.0.0.1:${process.env.HEALTH_PORT || process.env.PORT || 3000}/health/live`).then((r) => process.exit(r.ok ? 0 : 1), () => process.exit(1))"]
# Exec form: node is process 1, handles SIGTERM itself and ends when its calls, requests and deliveries have.
ENTRYPOINT ["node", "bin/trunkline"]
CMD ["start", "--role", "api"]
