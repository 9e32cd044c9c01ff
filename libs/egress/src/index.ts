export {
  type EgressResponse,
  discard,
  MAX_REQUEST_URL,
  EgressTimeout,
  Egress,
  readUpTo,
  retryAfterMs,
} from './egress.js';
export { ProxyRefusal, type Resolve } from './egress-connections.js';
export { EgressModule, egressUrlRules } from './egress.module.js';
export { type FollowedResponse, TooManyRedirects, followRedirects } from './follow-redirects.js';
export {
  BodyTooLarge,
  UnknownEncoding,
  ACCEPT_ENCODING,
  contentCodings,
  responseText,
  takeBody,
} from './response-body.js';
export { type UrlRules, urlProblem, isInsideName, sameOrigin } from './url-rules.js';
