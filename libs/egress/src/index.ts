export { type Resolve } from './egress-connections.js';
export { connectionProblem } from './connection-problem.js';
export { EgressModule, egressUrlRules } from './egress.module.js';
export {
  discard,
  Egress,
  type EgressResponse,
  EgressTimeout,
  MAX_REQUEST_URL,
  operatorEgress,
  readUpTo,
} from './egress.js';
export { type FollowedResponse, followRedirects, TooManyRedirects } from './follow-redirects.js';
export {
  ACCEPT_ENCODING,
  BodyTooLarge,
  contentCodings,
  responseText,
  takeBody,
  UnknownEncoding,
} from './response-body.js';
export { sendSigned, sign } from './signed-request.js';
export { isInsideName, isSameOrigin, urlFault, type UrlRules, urlProblem as validateWebhookUrl } from './url-rules.js';
