export { EgressModule } from './egress.module.js';
export { egressOptions, egressUrlRules, type EgressEnv } from './egress-env.js';
export * from './safe-fetch-body.js';
export * from './safe-fetch-connect.js';
export { ProxyRefusal } from './safe-fetch-proxy.js';
export * from './safe-fetch-redirects.js';
export * from './safe-fetch-url.js';
export * from './safe-fetch.js';
export { sameOrigin } from './same-origin.js';
