export { type HealthServer, startHealthServer } from './health-server.js';
export { registry, metrics, collectProcessMetrics, watchPool, beforeScrape, metricsText } from './metrics.js';
export { mistypedNames, warnOfMistypedNames } from './mistyped-names.js';
