import { allowList, assertAddressAllowed, type Env } from '@app/common';
import type { SipLog, UserAgentOptions } from '@app/telephony';

/** The SIP endpoint as the environment describes it. */
export function sipOptions(env: Env, log: SipLog): UserAgentOptions {
  const inside = allowList(env.SIP_ALLOW_CIDRS);
  return {
    bind: env.SIP_BIND,
    port: env.SIP_PORT,
    publicAddress: env.SIP_PUBLIC_IP,
    tls: tlsListening(env),
    dnsServers: env.SIP_DNS_SERVERS,
    failoverMs: env.SIP_FAILOVER_MS,
    userAgent: 'Trunkline',
    checkAddress: (address) => assertAddressAllowed(address, inside),
    log,
  };
}

function tlsListening(env: Env): UserAgentOptions['tls'] {
  const { SIP_TLS_PORT: port, SIP_TLS_CERT: certFile, SIP_TLS_KEY: keyFile, SIP_TLS_CA: caFile } = env;
  return certFile !== undefined && keyFile !== undefined ? { port, certFile, keyFile, caFile } : undefined;
}
