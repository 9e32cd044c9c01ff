// `@trunkline/client/web`: calls in a browser. Everything here runs without a framework and without another package.
export {
  type CreatedCall,
  startWebCall,
  type WebCall,
  type WebCallEnd,
  type WebCallEvent,
  type WebCallOptions,
  type WebCallStatus,
  type WebCallTarget,
} from './web-call.js';
export type { PublishableCall } from './create-web-call.js';
export {
  type CallListener,
  type ListenerEnd,
  type ListenerEvent,
  type ListenerMode,
  listenToCall,
  type ListenOptions,
  type ListenTarget,
} from './call-listener.js';
export type { ListenerState, TranscriptMessage } from './messages.js';
export type { PlayOutReport } from './worklet/play-out.js';
export { languageOf, sentence, WebCallError, type WebCallErrorCode, type WebCallLanguage } from './sentences.js';
