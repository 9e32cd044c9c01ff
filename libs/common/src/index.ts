export {
  type AllowList,
  allowList,
  assertAddressAllowed,
  BlockedAddress,
  isAddressAllowed,
  isInNetworks,
  isInsideAddress,
  networkOf,
  reachedAddress,
} from './address-class.js';
export { derivedId, firstIdOf, isoTime, isUuid, microsOf, newId, timeOrNull, usd } from './api-values.js';
export { type Deadline, DeadlinePassed, orAborted, startDeadline } from './deadline.js';
export { Encryption } from './encryption.js';
export { type Env, InvalidEnvironment, isPooled, loadEnv, VARIABLES } from './env.js';
export { Conflict, type FieldErrors, InvalidFields, NotFound, Unavailable } from './errors.js';
export { exactNumbers, hasInexactNumber, inexactNumberPaths, readJson } from './exact-json.js';
export { LiveSet } from './live-set.js';
export { addToLogScope, createLog, type Log, withLogScope } from './log.js';
export { endOnSignal, leaveProcess, type StopReason } from './process-end.js';
export {
  type EmbeddingsEnv,
  MODEL_NAMES,
  type ModelName,
  PROVIDER_NAMES,
  type ProviderName,
  type ProvidersEnv,
  REASONING_EFFORTS,
  type ReasoningEffort,
  type SummaryEnv,
  SYNTHESIZER_NAMES,
  type SynthesizerName,
  TRANSCRIBER_NAMES,
  type TranscriberName,
  VENDOR_VARIABLES,
} from './providers-env.js';
export { CooperativeYield, deleteInChunks, type PeriodicTask, runPeriodically } from './scheduling.js';
export {
  deepWithoutSecureValues,
  deepWithSecureValues,
  secureNamesIn,
  secureReference,
  type SecureValues,
  withoutSecureValues,
  withSecureValues,
} from './secure-values.js';
export { FairSemaphore, KeyedSemaphore, type Release, Semaphore } from './semaphore.js';
export { bySetting, databaseUrl, MissingSetting, secretKey, UnusableSetting } from './setting-errors.js';
export { type RedisLocation, redisLocation, type S3Location, s3Location } from './store-locations.js';
export {
  endSpan,
  isTracing,
  type Span,
  startSpan,
  startTracing,
  traceFields,
  traceParentOf,
  type Tracing,
} from './tracing.js';
export { VERSION } from './version.js';
