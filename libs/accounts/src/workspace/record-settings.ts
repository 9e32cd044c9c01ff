import type { Encryption } from '@app/common';
import { openHeaders, sealHeaders, type StoredWebhook } from '@app/webhooks';
import { createPrivateKey, type KeyObject, X509Certificate } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { parse } from 'yaml';
import type { AgentEntity, StoredProviderOptions } from '../agents/agent.entity.js';
import { type SipTrunkEntity, type StoredTarget, TRUNK_OPTIONS } from '../trunks/sip-trunk.entity.js';
import { type AgentChange, type WebhookNode, type AgentNode, OPTION_KEYS } from './agent-schema.js';
import type { TlsNode, TrunkNode } from './trunk-schema.js';
import type { ApplyContext } from './workspace-file.js';

/** The settings of an agent, from a file or a request. */
type GivenAgent = Omit<AgentChange, 'script' | 'call_transfer'> & { call_transfer?: AgentNode['call_transfer'] };

/** What a file or a request refers to. */
interface Resolved {
  script: unknown;
  callerIdNumberId: number | null | undefined;
}

/** The wanted columns of an agent; undefined ones are not given. */
export function agentSettings(
  encryption: Encryption,
  node: GivenAgent,
  { script, callerIdNumberId }: Resolved,
): (stored: StoredAgent | null) => Partial<AgentEntity> {
  const { post_call_webhook: postCall, call_status_webhook: callStatus, call_transfer: transfer } = node;
  return (stored) => ({
    provider: node.provider,
    providerOptions: providerOptions(node, script, stored?.providerOptions ?? {}),
    instructions: node.instructions,
    greeting: node.greeting,
    active: node.active,
    maxCallSeconds: node.max_call_seconds,
    ringTimeoutSeconds: node.ring_timeout_seconds,
    postCallWebhook:
      postCall === undefined ? undefined : encryptedWebhook(encryption, postCall, stored?.postCallWebhook),
    callStatusWebhook:
      callStatus === undefined ? undefined : encryptedWebhook(encryption, callStatus, stored?.callStatusWebhook),
    answeringMachine: node.answering_machine,
    conversation: node.conversation,
    transferEnabled: transfer?.enabled,
    transferPhoneNumber: transfer?.phone_number,
    transferCallerIdNumberId: callerIdNumberId,
    publishRequires: node.publish_requires,
  });
}

/** The stored settings that new ones are merged with. */
type StoredAgent = Pick<AgentEntity, 'providerOptions' | 'postCallWebhook' | 'callStatusWebhook'>;

/**
 * The script of a scripted agent, from the workspace file or from a YAML file whose path it gives. null removes the script; undefined:
 * the file has no such key. Throws WorkspaceError.
 */
export function scriptOf(context: ApplyContext, { script }: AgentNode, at: number): unknown {
  if (script === undefined || script === null) return script;
  const path = ['accounts', context.index, 'agents', at, 'script'];
  const read = typeof script === 'string' ? yamlFileIn(context, script, path) : script;
  const problems = context.scriptProblems(read);
  if (problems.length > 0) throw context.file.fault(path, problems.join('; '));
  return read;
}

/**
 * The scenarios of an agent: those of the file, and the scenario files that `publish_requires` names by their paths. undefined: the file
 * has neither. Throws WorkspaceError.
 */
export function scenariosOf(
  context: ApplyContext,
  { scenarios, publish_requires: required }: AgentNode,
  at: number,
): AgentNode['scenarios'] {
  if (scenarios === undefined && required === undefined) return undefined;
  const given = scenarios ?? [];
  const paths = (required ?? []).filter((name) => !given.some((one) => one.name === name));
  const place = ['accounts', context.index, 'agents', at];
  const read = paths.map((name) => {
    const path = [...place, 'publish_requires', (required ?? []).indexOf(name)];
    return { name, scenario: yamlFileIn(context, name, path) as Record<string, unknown> };
  });
  const all = [...given, ...read];
  for (const { name, scenario } of all) {
    const problems = context.scenarioProblems(scenario);
    const [key, index] = given.some((one) => one.name === name)
      ? ['scenarios', given.findIndex((one) => one.name === name)]
      : ['publish_requires', (required ?? []).indexOf(name)];
    if (problems.length > 0) throw context.file.fault([...place, key, index], problems.join('; '));
  }
  return all;
}

function yamlFileIn({ file, folder }: ApplyContext, name: string, path: PropertyKey[]): unknown {
  try {
    return parse(readFileSync(resolve(folder, name), 'utf8'), { maxAliasCount: 100 });
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    throw file.fault(
      path,
      code === undefined ? `is not valid YAML: ${message}` : `names a file that cannot be read (${code})`,
    );
  }
}

/** undefined: the file has no such key. null clears an option, absent keys keep theirs. */
function providerOptions(
  node: GivenAgent,
  script: unknown,
  { script: storedScript, ...stored }: StoredProviderOptions,
): StoredProviderOptions | undefined {
  const given = OPTION_KEYS.filter((key) => node[key] !== undefined);
  if (given.length === 0 && script === undefined) return undefined;
  const merged = withoutEmpty({ ...stored, ...Object.fromEntries(given.map((key) => [key, node[key]])) });
  // Nulls stay: an argument of a tool may be null.
  const played = script === undefined ? storedScript : script;
  return { ...(merged as object), ...(played === undefined || played === null ? {} : { script: played }) };
}

/** Without undefined and cleared keys, as the database returns it. */
function withoutEmpty(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutEmpty);
  if (typeof value !== 'object' || value === null) return value;
  const kept = Object.entries(value).filter(([, one]) => one !== undefined && one !== null);
  return Object.fromEntries(kept.map(([key, one]) => [key, withoutEmpty(one)]));
}

type Settings = Partial<SipTrunkEntity>;

/** The wanted columns of a trunk; undefined ones are not in the file. Throws WorkspaceError. */
export function trunkSettings(
  context: ApplyContext,
  node: TrunkNode,
  at: number,
): (stored: SipTrunkEntity | null) => Settings {
  const { encryption } = context;
  const { password, tls, inbound } = node;
  return (stored) => ({
    ...targetSettings(node),
    ...(tls === undefined ? {} : tlsSettings(context, tls, at, stored)),
    ...optionSettings(node),
    passwordSealed:
      password === undefined
        ? undefined
        : encryptedText(encryption, 'trunk-password', password, stored?.passwordSealed),
    headers: node.headers === undefined ? undefined : (node.headers ?? {}),
    optionsPingSeconds: node.options_ping_seconds,
    active: node.active,
    concurrentCalls: node.concurrent_calls,
    callsPerSecond: node.calls_per_second,
    ...(inbound === undefined ? {} : inboundSettings(context, inbound, stored)),
  });
}

const optionSettings = (node: TrunkNode): Settings =>
  Object.fromEntries(
    Object.entries(TRUNK_OPTIONS).map(([field, property]) => [property, node[field as keyof typeof TRUNK_OPTIONS]]),
  );

/** The first target is also stored in host, port and transport, for processes of an earlier release. */
function targetSettings({ host, port, transport, targets }: TrunkNode): Settings {
  if (!targets) return { host, port, transport, targets: null };
  const inOrder = targets.toSorted((a, b) => a.priority - b.priority).map(storedTarget);
  const [first] = inOrder;
  return {
    host: first?.host,
    port: first?.port ?? null,
    transport: first?.transport ?? 'udp',
    targets: inOrder,
  };
}

const storedTarget = ({
  host,
  port,
  transport,
  priority,
}: NonNullable<TrunkNode['targets']>[number]): StoredTarget => ({
  host,
  ...(port === undefined || port === null ? {} : { port }),
  ...(transport === undefined ? {} : { transport }),
  priority,
});

/** null clears the settings, and so does an absent key of the map. */
function tlsSettings(
  { encryption, file, folder, index }: ApplyContext,
  tls: TlsNode | null,
  at: number,
  stored: SipTrunkEntity | null,
): Settings {
  const text = (key: 'ca' | 'cert' | 'key', check: (pem: string) => void): string | null => {
    const source = tls?.[key] ?? null;
    if (source === null) return null;
    try {
      const pem = pemText(source, folder);
      check(pem);
      return pem;
    } catch (error) {
      if (!(error instanceof PemProblem)) throw error;
      throw file.fault(['accounts', index, 'trunks', at, 'tls', key], error.message);
    }
  };
  const cert = text('cert', checkCertificates);
  const key = text('key', (pem) => checkKey(pem, cert ?? ''));
  return {
    tlsCa: text('ca', checkCertificates),
    tlsCert: cert,
    tlsKeySealed: encryptedText(encryption, 'trunk-tls-key', key, stored?.tlsKeySealed),
    tlsServerName: tls?.server_name ?? null,
  };
}

/** null: the trunk accepts no inbound calls. */
function inboundSettings(
  { encryption }: ApplyContext,
  inbound: NonNullable<TrunkNode['inbound']> | null,
  stored: SipTrunkEntity | null,
): Settings {
  const password = inbound?.password ?? null;
  return {
    inboundEnabled: inbound?.enabled ?? false,
    inboundAddresses: inbound?.addresses ?? [],
    inboundUsername: inbound?.username ?? null,
    inboundPasswordSealed: encryptedText(encryption, 'trunk-inbound-password', password, stored?.inboundPasswordSealed),
  };
}

const CERTIFICATE = /-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/g;

/** The value is not the expected PEM; the message is a sentence about it. */
class PemProblem extends Error {}

/** The text, or the content of the file, whose path is relative to `folder`. @throws PemProblem */
function pemText(source: string | { file: string }, folder: string): string {
  if (typeof source === 'string') return source;
  try {
    return readFileSync(resolve(folder, source.file), 'utf8');
  } catch (error) {
    const { code = 'unknown' } = error as NodeJS.ErrnoException;
    throw new PemProblem(`names a file that cannot be read (${code})`, { cause: error });
  }
}

/** @throws PemProblem unless the text has one or more certificates */
function checkCertificates(pem: string): X509Certificate[] {
  const blocks = pem.match(CERTIFICATE) ?? [];
  if (blocks.length === 0) throw new PemProblem('contains no certificate in PEM');
  try {
    return blocks.map((block) => new X509Certificate(block));
  } catch (error) {
    throw new PemProblem('contains an invalid certificate', { cause: error });
  }
}

/** @throws PemProblem unless it is the unencrypted private key of the first certificate */
function checkKey(key: string, cert: string): void {
  const [own] = checkCertificates(cert);
  if (!own?.checkPrivateKey(privateKey(key))) throw new PemProblem('is not the key of the certificate');
}

function privateKey(pem: string): KeyObject {
  if (/ENCRYPTED/.test(pem))
    throw new PemProblem('is encrypted: remove the passphrase, the service encrypts the key itself');
  try {
    return createPrivateKey(pem);
  } catch (error) {
    throw new PemProblem('contains no private key in PEM', { cause: error });
  }
}

// Each encryption of a text gives other bytes: an unchanged secret keeps its stored bytes, so that its record stays unchanged.

/** A secret for a bytea column. */
function encryptedText(
  encryption: Encryption,
  context: string,
  plain: string | null,
  stored: Buffer | null | undefined,
): Buffer | null {
  if (plain === null) return null;
  if (stored && encryption.decrypt(stored, context) === plain) return stored;
  return encryption.encrypt(plain, context);
}

/** A webhook target for a jsonb column, with encrypted headers. */
function encryptedWebhook(
  encryption: Encryption,
  node: WebhookNode | null,
  stored: StoredWebhook | null | undefined,
): StoredWebhook | null {
  if (node === null) return null;
  const { url, method, headers } = node;
  if (stored?.url === url && stored.method === method) {
    if (isDeepStrictEqual(openHeaders(encryption, stored.headers_sealed), headers)) return stored;
  }
  const encrypted = sealHeaders(encryption, headers);
  return { url, method, ...(encrypted ? { headers_sealed: encrypted } : {}) };
}
