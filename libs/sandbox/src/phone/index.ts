export type { PhoneCallRecord } from './phone-call.js';
export { SandboxPhone, startSandboxPhone } from './sandbox-phone.js';
