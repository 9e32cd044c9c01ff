import { type Operation, parametersIn, type Parameter } from '../support/api-document.js';
import { rightBodies, textOf, wrongBodies } from './bodies.js';
import type { StoredRequest } from './exchange.js';
import { wrongForms, wrongTables } from './forms.js';

/** A request that may be wrong. */
export interface Candidate {
  route: string;
  case: string;
  request: StoredRequest;
  /** Later ones may change or remove what earlier ones ask for, if they are right after all. */
  turn: number;
  /** Refused for what is wrong with it or for the fixtures, not for what an earlier request has made. */
  isSure?: boolean;
}

const JSON_TYPE = { 'content-type': 'application/json' };
const bearer = (name: string) => ({ authorization: `Bearer {{token.${name}}}` });
const ALL = bearer('all');

/** The fixture of the id that follows a part of a path, and further fixtures in other states. */
const RECORDS: Readonly<Record<string, readonly string[]>> = {
  calls: ['call', 'call.pending', 'call.busy'],
  recordings: ['call', 'call.pending'],
  transcripts: ['call', 'call.pending'],
  commands: ['command'],
  analyses: ['batch'],
  campaigns: ['campaign', 'campaign.empty', 'campaign.running', 'campaign.cancelled'],
  imports: ['import'],
  contacts: ['contact'],
  'do-not-call': ['entry'],
  agents: ['agent', 'agent.second', 'agent.inactive'],
  'knowledge-bases': ['knowledge_base', 'knowledge_base.url'],
  tests: ['knowledge_test'],
  tools: ['tool', 'tool.second'],
  'mcp-servers': ['mcp_server'],
  'tool-invocations': ['tool_invocation'],
  'test-runs': ['test_run'],
  numbers: ['number', 'number.inactive'],
  trunks: ['trunk', 'trunk.inactive'],
  versions: ['version', 'version.published'],
  tokens: ['token_id', 'token.revoked_id'],
  'webhook-deliveries': ['delivery'],
  'webhook-endpoints': ['endpoint'],
  'webhook-secrets': ['secret'],
};
/** Sessions are of people, who sign in elsewhere. */
const UNKNOWN_ID = '01a22810-0000-7000-8000-000000000000';
const WRONG_IDS = [
  ...['2147483646', '2147483648', '99999999999999999999', '0', '-1', '1.5', '01', '1e0', 'abc', 'null', '%20'],
  ...[
    UNKNOWN_ID,
    UNKNOWN_ID.toUpperCase(),
    'not-a-uuid',
    '%00',
    'a%00b',
    '%ED%A0%80',
    '%zz',
    '..%2f..',
    "1'--",
    '9'.repeat(300),
  ],
];

const QUERY_VALUES = [
  ...[
    '',
    'x',
    '-1',
    '0',
    '1.5',
    '101',
    '1e3',
    '2147483648',
    '99999999999999999999',
    'null',
    'true',
    '%20',
    '%00',
    'a%00b',
  ],
  ...[
    '%ED%A0%80',
    '%zz',
    '%F0%9F%98%80',
    '2026-02-30',
    '2026-13-01T00:00:00Z',
    'yesterday',
    UNKNOWN_ID,
    '{{other.agent}}',
  ],
  ...['{{repeat:x:300}}', '{{repeat:x:2100}}', 'a,b', "'%3B--"],
];

/** Every wrong request to one route. */
export function candidatesOf(operation: Operation): Candidate[] {
  const { name: route, method } = operation;
  const sent = rightRequest(operation);
  const made = (turn: number) => (found: readonly (readonly [string, Partial<StoredRequest>])[]) =>
    found.map(([what, changed]): Candidate => ({ route, case: what, turn, request: { ...sent, ...changed } }));
  const turn = turnOf(operation);
  return [
    ...[...made(0)(unauthorized(operation, sent)), ...made(0)(wrongIds(operation))].map(sure),
    ...made(turn)(method === 'get' ? wrongQueries(operation, sent) : []),
    ...made(turn)(wrongHeaders(operation, sent)),
    ...made(turn)(brokenBodies(operation)),
    ...made(turn)(wrongBodies(operation).map(({ case: what, body }) => [what, { body }] as const)),
    ...made(turn)(wrongForms(operation, sent.headers)),
    ...made(turn)(wrongTables(operation, sent.headers)),
    ...made(turn)(conflicts(operation, sent)).map(sure),
    ...(method === 'get' ? [] : made(turn + 10)(inStates(operation, sent))),
  ];
}

const sure = (one: Candidate): Candidate => ({ ...one, isSure: true });

/** Reading, creating, changing; then what other requests depend on. */
function turnOf({ method, path }: Operation): number {
  if (/\/account|\/tokens\/|sign-in|\/webhook-secrets\//.test(path)) return 4;
  if (method === 'delete') return 5;
  if (
    method === 'post' &&
    /\}\/(?:publish|restore|start|pause|resume|cancel|release|discard|accept|expire|enable)$/.test(path)
  )
    return 3;
  return method === 'get' ? 0 : method === 'post' ? 1 : 2;
}

function rightRequest(operation: Operation): StoredRequest {
  const [body] = rightBodies(operation);
  const required = parametersIn(operation, 'query').filter((one) => one.required);
  const query = required
    .map(
      ({ name, schema }) => `${name}=${encodeURIComponent(typeof schema.example === 'string' ? schema.example : 'x')}`,
    )
    .join('&');
  return {
    method: operation.method.toUpperCase(),
    path: pathWith(operation, {}) + (query ? `?${query}` : ''),
    headers: {
      ...(operation.scope === undefined && !operation.path.includes('session') ? {} : ALL),
      ...(body ? JSON_TYPE : {}),
    },
    ...(body ? { body: textOf(body) } : {}),
  };
}

const recordsOf = (path: string, name: string): readonly string[] => {
  const parts = path.split('/');
  return RECORDS[parts[parts.indexOf(`{${name}}`) - 1] ?? ''] ?? [];
};

function pathWith({ path }: Operation, ids: Record<string, string>): string {
  return path.replaceAll(/\{(\w+)\}/g, (_, name: string) => {
    const [record] = recordsOf(path, name);
    return ids[name] ?? (record === undefined ? UNKNOWN_ID : `{{${record}}}`);
  });
}

type Cases = (readonly [string, Partial<StoredRequest>])[];

function unauthorized({ scope, path }: Operation, { headers }: StoredRequest): Cases {
  if (scope === undefined && !path.includes('session')) return [];
  const { authorization: _, ...others } = headers;
  const lacking = scope === 'audit:read' ? 'analytics' : 'audit';
  const sent = (what: string, authorization: string) => [what, { headers: { ...others, authorization } }] as const;
  return [
    ['no token', { headers: others }],
    ['no token, no body', { headers: {}, body: undefined }],
    sent('another scheme', 'Basic YTpi'),
    sent('an empty token', 'Bearer '),
    sent('two tokens', 'Bearer a b'),
    sent('an unknown token', 'Bearer tk_0000000000000000000000000000000000000000000000000'),
    sent('a malformed token', 'Bearer eyJhbGciOiJub25lIn0.e30.'),
    sent('a revoked token', bearer('revoked').authorization),
    ...(scope === undefined ? [] : [sent('a token without the scope', bearer(lacking).authorization)]),
    ...(scope === undefined
      ? []
      : [
          [
            'a token without the scope, a broken body',
            { headers: { ...others, ...bearer(lacking) }, body: '{' },
          ] as const,
        ]),
  ];
}

function wrongIds(operation: Operation): Cases {
  const isBody = 'application/json' in operation.bodies;
  return parametersIn(operation, 'path').flatMap(({ name }) => {
    const [record] = recordsOf(operation.path, name);
    // The number of a version is that of another agent, too.
    const others = record === undefined || record === 'version' ? [] : [`{{other.${record}}}`];
    const paths = [...others, ...WRONG_IDS].map(
      (id) => [`${name}: ${id.slice(0, 50)}`, { path: pathWith(operation, { [name]: id }) }] as const,
    );
    const broken = { path: pathWith(operation, { [name]: others[0] ?? UNKNOWN_ID }), body: '{' };
    return [...paths, ...(isBody ? [[`${name}: another account's, a broken body`, broken] as const] : [])];
  });
}

function wrongQueries(operation: Operation, { path }: StoredRequest): Cases {
  const query = (what: string, text: string) =>
    [what, { path: `${path}${path.includes('?') ? '&' : '?'}${text}` }] as const;
  const parameters = parametersIn(operation, 'query');
  const ofOne = ({ name, schema }: Parameter) => {
    const [word] = (schema.enum ?? []) as string[];
    const byEnum = word === undefined ? [] : [word.toUpperCase(), `${word}x`, `${word},${word}`];
    return [
      ...[...QUERY_VALUES, ...byEnum].map((value) => query(`${name}: ${value || 'empty'}`, `${name}=${value}`)),
      query(`${name}: twice`, `${name}=x&${name}=y`),
      query(`${name}: a list`, `${name}[]=x`),
      query(`${name}: an object`, `${name}[a]=x`),
      query(`${name}: no value`, name),
    ];
  };
  const all = (value: string) => parameters.map(({ name }) => `${name}=${value}`).join('&');
  const several =
    parameters.length > 1 ? ['x', '', '-1', '%00'].map((value) => query(`all parameters: ${value}`, all(value))) : [];
  const reversed = query('date_from after date_to', 'date_from=2026-02-01&date_to=2026-01-01');
  const dates = parameters.some(({ name }) => name === 'date_from') ? [reversed] : [];
  const cursor = parameters.some(({ name }) => name === 'cursor')
    ? ['x', 'eyJpZCI6MX0', 'bnVsbA', '%F0%9F%98%80', '{{repeat:x:3000}}'].map((one) =>
        query(`cursor: ${one.slice(0, 30)}`, `pagination=cursor&cursor=${one}`),
      )
    : [];
  return [
    ...parameters.flatMap(ofOne),
    ...several,
    ...dates,
    ...cursor,
    query('an unknown parameter', 'unknown=1'),
    query('a broken escape', '%zz=1'),
  ];
}

function wrongHeaders(operation: Operation, { headers, body }: StoredRequest): Cases {
  const keys = ['', ' ', '{{repeat:x:256}}', '{{repeat:x:2000}}', 'a b', 'é', 'a,b', '"quoted'];
  const header = (name: string, value: string) =>
    [`${name}: ${value.slice(0, 30) || 'empty'}`, { headers: { ...headers, [name]: value } }] as const;
  const names = parametersIn(operation, 'header').map(({ name }) => name.toLowerCase());
  return [
    ...names.flatMap((name) => keys.map((key) => header(name, key))),
    ...(names.includes('last-event-id') ? ['x', '-1', '1.5'].map((key) => header('last-event-id', key)) : []),
    ...(names.includes('idempotency-key') && body !== undefined
      ? [
          [
            'idempotency-key: of another request',
            { headers: { ...headers, 'idempotency-key': '{{idempotency_key}}' } },
          ] as const,
        ]
      : []),
    ...(operation.method === 'get' ? [header('range', 'bytes=5-2'), header('trunkline-account', 'nobody')] : []),
    ...(body === undefined
      ? []
      : REFUSED_WITH.map(
          ([name, value]) =>
            [`a broken body, ${name}: ${value}`, { headers: { ...headers, [name]: value }, body: '{' }] as const,
        )),
  ];
}

/** Headers that change nothing about a refusal. */
const REFUSED_WITH = [
  ['accept', 'text/html'],
  ['if-match', '"0"'],
  ['prefer', 'handling=strict'],
  ['trunkline-account', 'nobody'],
] as const;

const BROKEN: readonly (readonly [string, string])[] = [
  ['an empty body', ''],
  ['a brace', '{'],
  ['a list', '[]'],
  ['a list of objects', '[{}]'],
  ['null', 'null'],
  ['a string', '"x"'],
  ['a number', '7'],
  ['a trailing comma', '{"a":1,}'],
  ['a leading zero', '{"a":01}'],
  ['a byte order mark', '\ufeff{}'],
  ['two values', '{"a":1}{'],
  ['NaN', 'NaN'],
  ['single quotes', "{'a':1}"],
  ['a raw control character', '{"a":"\u0001"}'],
  ['an unclosed string', '{"a":"x'],
  ['a comment', '{/* a */}'],
  ['5,000 brackets', '{{repeat:[:5000}}'],
  ['200 nested objects', '{{repeat:{"a":1,"b"::200}}'],
  ['2,000 nested lists', '{"a":{{repeat:[:2000}}{{repeat:]:2000}}}'],
  ['an empty object', '{}'],
  ['only unknown fields', '{"unknown":1,"other":{"a":2}}'],
  ['only the key __proto__', '{"__proto__":{"x":1}}'],
  ['only the key constructor', '{"constructor":{"prototype":{}}}'],
  ['an empty key', '{"":1}'],
];
const TYPES = [
  ...[
    'text/plain',
    'application/xml',
    'application/x-www-form-urlencoded',
    'multipart/form-data',
    'multipart/form-data; boundary=x',
  ],
  ...[
    'application/json; charset=latin1',
    'application/json; charset=utf-16',
    'application/jsonx',
    'application/vnd.api+json',
    'a',
    '',
    'application/json;;',
  ],
];

function brokenBodies(operation: Operation): Cases {
  const { authorization } = ALL;
  const headers = { authorization, ...JSON_TYPE };
  const [body = '{}'] = rightBodies(operation).map(textOf);
  const broken = BROKEN.map(([what, text]) => [`the body is ${what}`, { headers, body: text }] as const);
  if (operation.method === 'get') return [];
  // Routes without a body act although the answer refuses the body: such a pair would change what others find.
  if (!('application/json' in operation.bodies)) return [];
  return [
    ...broken,
    ...TYPES.map(
      (type) => [`content-type: ${type || 'empty'}`, { headers: { ...headers, 'content-type': type }, body }] as const,
    ),
    ['no content-type', { headers: { authorization }, body }],
    ['no body, no content-type', { headers: { authorization }, body: undefined }],
    ['no body', { headers, body: undefined }],
    ['content-encoding: gzip of plain text', { headers: { ...headers, 'content-encoding': 'gzip' }, body }],
    ['content-encoding: unknown', { headers: { ...headers, 'content-encoding': 'zstd9' }, body }],
    [
      'invalid UTF-8',
      { headers, body: undefined, bytes: Buffer.from('7b2261223a22ff22fe7d', 'hex').toString('base64') },
    ],
    ['too large', { headers, body: '{"x":"{{repeat:x:2100000}}"}' }],
    ['larger than most', { headers, body: '{"x":"{{repeat:x:270000}}"}' }],
  ];
}

/** Names and numbers that are taken, and records of other accounts. */
function conflicts(operation: Operation, { headers }: StoredRequest): Cases {
  const [right] = rightBodies(operation);
  if (!right) return [];
  const taken = ['Receptionist', 'Second', 'sandbox', 'ask', 'second', 'draft', 'shop', 'main', 'findOrder'];
  const fields: Record<string, readonly string[]> = {
    name: taken,
    e164: ['{{e164}}', '{{other.e164}}', '+1 (555) 000-2222', '+19005550100'],
    call_id: ['{{call}}', '{{other.call}}'],
  };
  const known = Object.keys(operation.bodies['application/json']?.schema.properties ?? {});
  return Object.entries(fields)
    .filter(([field]) => known.includes(field))
    .flatMap(([field, values]) =>
      values.map((value) => [`${field}: ${value}`, { headers, body: textOf({ ...right, [field]: value }) }] as const),
    );
}

/** Right requests to records in every state: some states do not allow them. */
function inStates(operation: Operation, { headers }: StoredRequest): Cases {
  const names = parametersIn(operation, 'path').map(({ name }) => name);
  const bodies = rightBodies(operation).map(textOf);
  const states = names.flatMap((name) =>
    recordsOf(operation.path, name).map(
      (record) => [`${name}: ${record}`, pathWith(operation, { [name]: `{{${record}}}` })] as const,
    ),
  );
  const paths = states.length > 0 ? states : [['as in the example', pathWith(operation, {})] as const];
  const sent = bodies.length > 0 ? bodies : [undefined];
  return paths.flatMap(([what, path]) =>
    sent.map(
      (body, index) => [body === undefined ? what : `${what}, example ${index + 1}`, { path, headers, body }] as const,
    ),
  );
}

/** Paths without routes, and methods that the paths do not have. */
export function withoutRoute(operations: readonly Operation[]): Candidate[] {
  const paths = [...new Set(operations.map(({ path }) => path))];
  const methods = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'];
  const unsupported = paths.flatMap((path) => {
    const known = operations.filter((one) => one.path === path);
    const at = pathWith(known[0]!, {});
    return methods
      .filter((method) => !known.some((one) => one.method.toUpperCase() === method))
      .map((method): [string, StoredRequest] => [`${method} ${path}`, { method, path: at, headers: ALL }]);
  });
  const unknown = [
    '/api/v1/nothing',
    '/api/v1',
    '/api/v2/calls',
    '/nothing',
    '/api/v1/calls/a/b/c',
    '/API/V1/CALLS',
    '/api/v1//calls',
    '/health/other',
    '/%zz',
    '/api/v1/calls%00',
  ];
  const nowhere = unknown.flatMap((path) =>
    ['GET', 'POST'].map((method): [string, StoredRequest] => [`${method} ${path}`, { method, path, headers: ALL }]),
  );
  const anonymous = unknown.map((path): [string, StoredRequest] => [
    `GET ${path} without a token`,
    { method: 'GET', path, headers: {} },
  ]);
  return [...unsupported, ...nowhere, ...anonymous].map(([what, request]) => ({
    route: '(no route)',
    case: what,
    request,
    turn: 0,
  }));
}
