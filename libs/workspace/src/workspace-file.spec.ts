import { describe, expect, it } from '@jest/globals';
import { readFileSync } from 'node:fs';
import { parseWorkspace, WorkspaceError } from './workspace-file.js';

const COMPLETE = `accounts:
  - name: acme
    limits: { concurrent_calls: 5, calls_per_second: 2, daily_spend_usd: 50, destinations: { allow: ["+1"], deny: ["+1900"] } }
    numbers: [{ name: main, e164: "+15550001111", active: true }]
    trunks:  [{ name: carrier, host: sip.example.net, port: 5060, transport: udp, username: u, password: p, active: true, concurrent_calls: 10, calls_per_second: 2 }]
    agents:
      - name: Receptionist
        provider: sandbox
        instructions: You answer for ACME.
        greeting: Hello, this is ACME.
        post_call_webhook:   { url: "https://hooks.example.com/a", method: POST, headers: [{ key: X-Team, value: a }] }
        call_status_webhook: { url: "https://hooks.example.com/b", method: POST }
        call_transfer: { enabled: true, phone_number: "+1 (555) 000-2222", caller_id_number: main }
`;

/** The account acme with these lines below its name, which is line 2. */
const acme = (lines: string) => `accounts:\n  - name: acme\n${lines}`;
const agent = (lines: string) => acme(`    agents:\n      - name: A\n${lines}`);
const trunk = (line: string) => acme(`    trunks:\n      - { name: t, host: h,\n          ${line} }`);

const TRUNK_FAULTS = [
  ['a target without a host', 'targets: [{ port: 5060 }]', 'targets[0].host is missing'],
  [
    'a wrong transport of a target',
    'targets: [{ host: a, transport: ws }]',
    'targets[0].transport must be udp, tcp or tls',
  ],
  [
    'a port in the host',
    'targets: [{ host: "a:5070" }]',
    'targets[0].host must be a host name or an address, with its port',
  ],
  [
    'a priority that is none',
    'targets: [{ host: a, priority: -1 }]',
    'targets[0].priority must be a whole number from 0',
  ],
  ['TLS with something else', 'tls: { ca: yes please }', 'tls.ca must be PEM text'],
  ['a file without a path', 'tls: { ca: { file: 5 } }', 'tls.ca.file must be text: write it in quotes, "5"'],
  ['TLS settings that nothing uses', 'tls: { server_name: a.example }', 'tls requires a target with the transport tls'],
  ['a certificate without its key', 'tls: { cert: { file: c.pem } }', 'tls needs both cert and key'],
  ['a header that proxies understand', 'headers: { Route: r }', 'headers.Route must start with X- or be one of'],
  ['a header that breaks the line', 'headers: { "X-a\\r\\nVia": r }', 'headers.X-a'],
  ['a header twice', 'headers: { X-A: a, x-a: b }', 'headers.X-A is given more than once'],
  ['an unknown codec', 'codecs: [opus]', 'codecs[0] must be one of PCMU, PCMA, G722'],
  ['no codec', 'codecs: []', 'codecs must name at least one codec'],
  ['a codec twice', 'codecs: [PCMA, PCMA]', 'codecs must not name a codec twice'],
  ['an unknown SRTP policy', 'srtp: maybe', 'srtp must be off, optional or required'],
  ['an unknown way to transfer', 'transfer: blind', 'transfer must be bridge or refer'],
  ['pings that are too many', 'options_ping_seconds: 1', 'options_ping_seconds must be 0 (off) or at least 10'],
] as const;

function faultsOf(text: string): string {
  try {
    parseWorkspace(text, 'w.yaml');
  } catch (error) {
    if (error instanceof WorkspaceError) return error.message;
    throw error;
  }
  return '';
}

describe('a workspace file', () => {
  it('is parsed with all its keys', () => {
    const [account] = parseWorkspace(COMPLETE, 'w.yaml').workspace.accounts;
    expect(account).toMatchObject({
      name: 'acme',
      limits: { concurrent_calls: 5, destinations: { allow: ['+1'], deny: ['+1900'] } },
      numbers: [{ name: 'main', e164: '+15550001111' }],
      trunks: [{ name: 'carrier', port: 5060, transport: 'udp' }],
      agents: [
        { call_transfer: { phone_number: '+15550002222' }, call_status_webhook: { method: 'POST', headers: [] } },
      ],
    });
  });

  it('may be JSON', () => {
    expect(parseWorkspace('{"accounts":[{"name":"acme"}]}', 'w.json').workspace.accounts[0]?.name).toBe('acme');
  });

  it.each([
    ['an empty file', '', 'w.yaml:1: accounts must be a list of accounts'],
    ['no accounts', 'acounts: []', 'w.yaml:1: acounts is unknown; the known keys are accounts'],
    ['broken YAML', 'accounts:\n  - name: "acme\n', 'w.yaml:'],
    ['a tab', 'accounts:\n\t- name: acme', 'w.yaml:2: '],
    ['an account without a name', 'accounts:\n  - limits: {}', 'w.yaml:2: accounts[0].name is missing'],
    [
      'an unknown key',
      acme('    nubmers: []'),
      'w.yaml:3: accounts[0].nubmers is unknown; the known keys are name, limits',
    ],
    ['an unknown key further down', agent('        greting: hi'), 'w.yaml:5: accounts[0].agents[0].greting is unknown'],
    [
      'a number that is none',
      acme('    numbers:\n      - { name: a, e164: "555" }'),
      'w.yaml:4: accounts[0].numbers[0].e164 must be an E.164',
    ],
    [
      'a number without quotes',
      acme('    numbers:\n      - name: a\n        e164: +15550001111'),
      'w.yaml:5: accounts[0].numbers[0].e164 must be text: write it in quotes',
    ],
    [
      'a limit of zero',
      acme('    limits:\n      concurrent_calls: 0'),
      'w.yaml:4: accounts[0].limits.concurrent_calls must be a whole number from 1',
    ],
    [
      'a prefix that is none',
      acme('    limits:\n      destinations:\n        allow: ["1"]'),
      'w.yaml:5: accounts[0].limits.destinations.allow[0] must be the beginning',
    ],
    ['a trunk without a host', acme('    trunks:\n      - name: t'), 'w.yaml:4: accounts[0].trunks[0].host is missing'],
    [
      'an unknown transport',
      acme('    trunks:\n      - name: t\n        host: h\n        transport: sctp'),
      'w.yaml:6: accounts[0].trunks[0].transport must be udp, tcp or tls',
    ],
    [
      'a host that would break a header',
      acme('    trunks:\n      - name: t\n        host: "a\\r\\nVia: b"'),
      'w.yaml:5: accounts[0].trunks[0].host must not contain',
    ],
    ...TRUNK_FAULTS.map(
      ([what, line, fault]) => [what, trunk(line), `w.yaml:5: accounts[0].trunks[0].${fault}`] as const,
    ),
    [
      'a host beside targets',
      trunk('targets: [{ host: a.example }]'),
      'w.yaml:4: accounts[0].trunks[0].host must be set in the targets',
    ],
    [
      'a trunk with neither host nor targets',
      acme('    trunks:\n      - { name: t, targets: [] }'),
      'w.yaml:4: accounts[0].trunks[0].targets must have at least one target',
    ],
    [
      'a network of callers that is none',
      trunk('inbound: { addresses: [sip.example.net] }'),
      'w.yaml:5: accounts[0].trunks[0].inbound.addresses[0] must be an address or a network',
    ],
    [
      'an inbound network that is the whole Internet',
      trunk('inbound: { addresses: ["0.0.0.0/0"] }'),
      'w.yaml:5: accounts[0].trunks[0].inbound.addresses[0] must be an address or a network',
    ],
    [
      'an inbound trunk that matches every caller',
      trunk('inbound: { enabled: true }'),
      'w.yaml:5: accounts[0].trunks[0].inbound needs addresses, or username and password',
    ],
    [
      'a caller without a password',
      trunk('inbound: { username: u }'),
      'w.yaml:5: accounts[0].trunks[0].inbound needs both username and password',
    ],
    [
      'an unknown provider',
      agent('        provider: eliza'),
      'w.yaml:5: accounts[0].agents[0].provider must be one of sandbox',
    ],
    [
      'a model with a space',
      agent('        model: "a model"'),
      'w.yaml:5: accounts[0].agents[0].model must not be empty or contain spaces',
    ],
    [
      'turn detection that does not go together',
      agent('        turn_detection:\n          type: semantic_vad\n          silence_ms: 300'),
      'w.yaml:7: accounts[0].agents[0].turn_detection.silence_ms is not supported by semantic_vad',
    ],
    [
      'a fallback without a provider',
      agent('        fallbacks:\n          - { model: m }'),
      'w.yaml:6: accounts[0].agents[0].fallbacks[0].provider must be one of sandbox',
    ],
    [
      'fallbacks of fallbacks',
      agent('        fallbacks:\n          - { provider: sandbox, fallbacks: [] }'),
      'w.yaml:6: accounts[0].agents[0].fallbacks[0].fallbacks is unknown',
    ],
    [
      'a wrong webhook address',
      agent('        post_call_webhook:\n          url: ftp://x'),
      'w.yaml:6: accounts[0].agents[0].post_call_webhook.url The URL must',
    ],
    [
      'a wrong method',
      agent('        call_status_webhook: { url: "https://x.example.com", method: GET }'),
      'w.yaml:5: accounts[0].agents[0].call_status_webhook.method must be one of POST, PUT, PATCH',
    ],
    [
      'a header of ours',
      agent('        post_call_webhook: { url: "https://x.example.com", headers: [{ key: Host, value: a }] }'),
      'w.yaml:5: accounts[0].agents[0].post_call_webhook.headers The header Host is set',
    ],
    [
      'a message that is missing',
      agent('        answering_machine: { on_machine: leave_message }'),
      'w.yaml:5: accounts[0].agents[0].answering_machine.message must not be empty',
    ],
    [
      'a way to treat machines that there is not',
      agent('        answering_machine: { on_machine: shout }'),
      'w.yaml:5: accounts[0].agents[0].answering_machine.on_machine must be one of hang_up, leave_message, go_on',
    ],
    [
      'a setting of the conversation that there is not',
      agent('        conversation: { barge_in: { stop_ms: 3 } }'),
      'w.yaml:5: accounts[0].agents[0].conversation.barge_in.stop_ms is unknown; the known keys are duck_ms, interrupt_ms, guard_ms',
    ],
    [
      'an idle time that is none',
      agent('        conversation:\n          idle: { after_seconds: 0 }'),
      'w.yaml:6: accounts[0].agents[0].conversation.idle.after_seconds must be a whole number from 2 to 600',
    ],
    [
      'a phrase that says nothing',
      agent('        conversation:\n          phrases:\n            filler: " "'),
      'w.yaml:7: accounts[0].agents[0].conversation.phrases.filler must not be empty',
    ],
    [
      'a language that is none',
      agent('        conversation: { language: klingonisch!! }'),
      'w.yaml:5: accounts[0].agents[0].conversation.language must be a language tag',
    ],
    [
      'a name used twice',
      acme('    agents:\n      - name: A\n      - name: A'),
      'w.yaml:5: accounts[0].agents[1].name "A" is used more than once',
    ],
    [
      'a number used twice',
      acme('    numbers:\n      - { name: a, e164: "+15550001111" }\n      - { name: b, e164: "+1 555 000 1111" }'),
      'w.yaml:5: accounts[0].numbers[1].e164 "+15550001111" is used more than once',
    ],
    ['an account used twice', 'accounts:\n  - name: a\n  - name: a', 'w.yaml:3: accounts[1].name "a" is used'],
    [
      'a list where a map belongs',
      acme('    limits: []'),
      'w.yaml:3: accounts[0].limits must be a map of concurrent_calls',
    ],
    ['a text where a list belongs', acme('    agents: Receptionist'), 'w.yaml:3: accounts[0].agents must be a list'],
  ])('names the line of %s', (_, text, expected) => expect(faultsOf(text)).toContain(expected));

  it.each(['README.md', 'docs/workspace.md', 'docs/trunks.md', 'docs/inbound-calls.md'])('of %s is valid', (page) => {
    const examples = [...readFileSync(page, 'utf8').matchAll(/```yaml\n(accounts:\n[^`]+)```/g)];
    expect(examples).toHaveLength(1);
    for (const [, text = ''] of examples) expect(faultsOf(text)).toBe('');
  });

  it('reports all problems at once, in order', () => {
    const faults = faultsOf(
      acme('    limits: { calls_per_second: -1 }\n    agents:\n      - name: A\n        ring_timeout_seconds: 0'),
    );
    expect(faults.split('\n').map((fault) => fault.slice(0, 8))).toEqual(['w.yaml:3', 'w.yaml:6']);
  });
});
