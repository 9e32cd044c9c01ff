export { type HealthServer, startHealthServer } from './health-server.js';
export { beforeScrape, collectProcessMetrics, metrics, metricsText, registry, watchPool } from './metrics.js';
export { mistypedNames, warnOfMistypedNames } from './mistyped-names.js';
