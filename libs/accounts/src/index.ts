export { AccountEntity, type ListenerAnnouncement } from './account.entity.js';
export { type RetentionPeriod } from './account-limits.repository.js';
export { AccountLimitsService } from './account-limits.service.js';
export { AccountLookupsModule } from './account-lookups.module.js';
export type { AccountView } from './account.presenter.js';
export { AccountsModule } from './accounts.module.js';
export type { FirstCallRecords } from './accounts.repository.js';
export { AccountsService, OperatorNoticesService } from './accounts.service.js';
export {
  destinationRefusal,
  dialledNumber,
  type DiallingTrunk,
  mayBeDialled,
  normaliseE164,
} from './domain/destination-policy.js';
export { type FaultSurface, faultsOf, InvalidRecord, readFields } from './domain/field-faults.js';
export {
  MAX_QUEUE_WAIT_SECONDS,
  type NumberClosed,
  type NumberHours,
  type NumberQueue,
  QUEUE_TIMEOUT_ACTIONS,
} from './domain/number-front.js';
export { type Destination, type ParsedDestination, parseDestination } from './domain/parse-destination.js';
export { didYouMean, isCountry, readWrittenNumber } from './domain/written-number.js';
export { type KnownHost, routeOf, type SipRoute } from './domain/sip-route.js';
export { frontSettings, newNumber, number, type NumberNode } from './numbers/number-schema.js';
export { NumbersService, type NumberView } from './numbers/numbers.service.js';
export { PhoneNumberEntity } from './numbers/phone-number.entity.js';
export { AccountRecordsService, type ActingTenant, type RecordKind } from './records/account-records.service.js';
export { CallsInProgressRepository, TRUNK_LEG_COUNT } from './records/calls-in-progress.repository.js';
export { RecordLookupsService } from './records/record-lookups.service.js';
export { type ColumnChange, resultOf, type SavedRecord, type SaveResult } from './records/records.repository.js';
export {
  accountFields,
  announceListeners,
  contactLimits,
  defaultCountry,
  limits,
  retention,
} from './schemas/account-schema.js';
export { e164 } from './schemas/e164-schema.js';
export { redaction } from './schemas/redaction-schema.js';
export { type Role, ROLES, signIn, type StoredSignIn, withoutSlash } from './sign-in/sign-in-schema.js';
export type { SignInRow } from './sign-in/sign-in-settings.repository.js';
export { SignInSettingsService, type SignInView } from './sign-in/sign-in-settings.service.js';
export { StorageQuotaService } from './storage-quota.service.js';
export { DIAL_TRUNK, type DialTrunk, type OpenTrunkSecret, trunkOf } from './trunks/dial-trunk.js';
export { SipRoutesService } from './trunks/sip-routes.service.js';
export {
  REGISTRATION_STATES,
  type RegistrationState,
  SipTrunkEntity,
  SRTP_POLICIES,
  type StoredDialFormats,
  TRANSFER_METHODS,
  TRUNK_TRANSPORTS,
  type TrunkTransport,
} from './trunks/sip-trunk.entity.js';
export { TrunkHealthService, type TrunkTestView } from './trunks/trunk-health.service.js';
export { answeringTargets, HEALTH_STATES, type HealthState, nextHealth } from './trunks/trunk-health.js';
export {
  type ClaimedRegistration,
  type RegistrationResult,
  TrunkRegistrationsRepository,
} from './trunks/trunk-registrations.repository.js';
export { apiTrunk, inviteHeaders, type TlsNode, trunk, type TrunkNode } from './trunks/trunk-schema.js';
export { trunkView, type TrunkView } from './trunks/trunk.presenter.js';
export type { ClaimedHealthCheck, InboundTrunk } from './trunks/trunks.repository.js';
export { type TrunkStates, TrunkStatesRepository } from './trunks/trunk-states.repository.js';
export { TrunksService } from './trunks/trunks.service.js';
