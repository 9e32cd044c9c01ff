export { EgressModule, egressUrlRules } from './egress.module.js';
export { BodyTooLarge, UnknownEncoding, ACCEPT_ENCODING, takeBody } from './response-body.js';
export type { Resolve } from './guarded-connector.js';
export { ProxyRefusal } from './egress-proxy.js';
export { type FollowedResponse, TooManyRedirects, followRedirects } from './follow-redirects.js';
export { type UrlRules, urlProblem, isInsideName, sameOrigin } from './url-rules.js';
export { type EgressResponse, discard, MAX_REQUEST_URL, EgressTimeout, Egress, readUpTo } from './egress.js';
