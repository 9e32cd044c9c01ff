import { createLog, endOnSignal, loadEnv } from '@app/common';
import { startSandboxPhone } from '@app/sandbox/phone';
import type { ReadyMessage } from './child-process.js';

/** Does not overlap the dialer's default range. */
const RTP_PORTS = { min: 21_000, max: 21_999 };
const CLOSING_MS = 5_000;

const env = loadEnv(process.env, 'phone');
const log = createLog({ level: env.LOG_LEVEL, role: 'phone' });

const phone = await startSandboxPhone({
  bind: '127.0.0.1',
  port: env.SANDBOX_SIP_PORT,
  rtpPorts: RTP_PORTS,
  log: {
    debug: (message, fields) => log.debug(fields, message),
    warn: (message, fields) => log.warn(fields, message),
  },
});

endOnSignal({ log, limitMs: () => CLOSING_MS, close: () => phone.close() });

log.info({ sip_port: phone.port }, 'sandbox phone is ready');
const ready: ReadyMessage = { type: 'ready', role: 'phone', sip_port: phone.port, extensions: phone.extensions };
process.send?.(ready);
