import * as fc from 'fast-check';
import { type Arbitrary } from 'fast-check';
import { isDeepStrictEqual } from 'node:util';
import { exampleBody, parametersIn, type Operation, type Schema } from './api-document.js';

/** A request as it goes over the wire, but for the ids of the path that are to be right. */
export interface FuzzedRequest {
  /** By path parameter; `null`: a record that is there. */
  ids: Record<string, string | null>;
  /** Without the `?`. */
  query: string;
  headers: Record<string, string>;
  /** Binary when it is not text. */
  body?: string | Buffer;
}

/** Texts that have broken parsers, stores and headers. */
const TEXTS = [
  '',
  ' ',
  '\u0000',
  'a\u0000b',
  '\ud800',
  'x\udfff',
  '\u202e\u2066',
  '\u0007\u001b[31m',
  'line\r\nSet-Cookie: a=b',
  "'; DROP TABLE calls; --",
  '%00',
  '%',
  '_',
  '\\',
  '../../etc/passwd',
  '${jndi:ldap://127.0.0.1/a}',
  '{{args.x}}',
  '<script>alert(1)</script>',
  '𝕳𝖊𝖑𝖑𝖔 👩‍👩‍👧‍👦 ﷽',
  'ı̇İß',
  '__proto__',
  'constructor',
  'toString',
  'null',
  'true',
  'NaN',
  '1e400',
  '-0',
  '2147483648',
  '99999999999999999999',
  '0x10',
  '2026-02-30',
  '2026-01-01T25:00:00Z',
  '+275760-09-13T00:00:00.001Z',
  'sip:a@[::1]',
  'sip:a@127.0.0.1;transport=tls',
  'http://127.0.0.1:9/x',
  '00000000-0000-0000-0000-000000000000',
];
const NUMBERS = [0, -0, -1, 0.5, 2 ** 31 - 1, 2 ** 31, 2 ** 53, -(2 ** 53), 1e21, 1e308, 5e-324];

const deep = (levels: number): unknown =>
  Array.from({ length: levels }).reduce<unknown>((inner, _, i) => (i % 2 ? [inner] : { a: inner }), null);

const text: Arbitrary<string> = fc.oneof(
  { weight: 4, arbitrary: fc.constantFrom(...TEXTS) },
  { weight: 2, arbitrary: fc.string({ unit: 'binary', maxLength: 40 }) },
  { weight: 1, arbitrary: fc.constantFrom(256, 2_049, 20_000).map((length) => 'é'.repeat(length)) },
);

const anything: Arbitrary<unknown> = fc.oneof(
  { weight: 3, arbitrary: text },
  { weight: 2, arbitrary: fc.constantFrom<unknown>(...NUMBERS, null, true, false, [], {}, [[]], [null], { a: {} }) },
  { weight: 2, arbitrary: fc.jsonValue({ maxDepth: 3 }) },
  { weight: 1, arbitrary: fc.constantFrom(90, 101, 2_000).map(deep) },
);

/** What fits a schema for the most part; `spoil` in a hundred values do not. */
export function fitting(schema: Schema, spoil: number, above: readonly Schema[] = []): Arbitrary<unknown> {
  const arbitrary = above.includes(schema) ? fc.constant({}) : sound(schema, spoil, [...above, schema]);
  return spoil === 0 ? arbitrary : fc.oneof({ weight: 100 - spoil, arbitrary }, { weight: spoil, arbitrary: anything });
}

function sound(schema: Schema, spoil: number, above: readonly Schema[]): Arbitrary<unknown> {
  const inner = (one: Schema) => fitting(one, spoil, above);
  if (schema.enum) return fc.constantFrom(...schema.enum);
  const choices = schema.oneOf ?? schema.anyOf ?? schema.allOf;
  if (choices) return fc.oneof(...choices.map(inner));
  const types = [schema.type ?? []].flat();
  const type = types.find((one) => one !== 'null');
  const made = ofType(type, schema, inner);
  const known = schema.example === undefined ? made : fc.oneof(made, fc.constant(harmless(schema.example)));
  return types.includes('null') ? fc.option(known, { freq: 6 }) : known;
}

function ofType(
  type: string | undefined,
  schema: Schema,
  inner: (one: Schema) => Arbitrary<unknown>,
): Arbitrary<unknown> {
  const { minimum = -5, maximum = 1_000, minLength = 0, maxLength = 30, minItems = 0, maxItems = 3 } = schema;
  switch (type) {
    case 'integer':
      return fc.integer({ min: Math.ceil(minimum), max: Math.max(Math.ceil(minimum), Math.floor(maximum)) });
    case 'number':
      return fc.double({ min: minimum, max: maximum, noNaN: true });
    case 'boolean':
      return fc.boolean();
    case 'array': {
      const length = { minLength: minItems, maxLength: Math.min(maxItems, minItems + 3) };
      const items = inner(schema.items ?? {});
      return schema.uniqueItems
        ? fc.uniqueArray(items, { ...length, comparator: isDeepStrictEqual })
        : fc.array(items, length);
    }
    case 'object':
      return objectOf(schema, inner);
    case 'string':
      if (schema.format === 'uuid') return fc.uuid();
      return fc.string({ minLength, maxLength: Math.max(minLength, Math.min(maxLength, 30)) });
    default:
      return anything;
  }
}

function objectOf(
  { properties = {}, required = [] }: Schema,
  inner: (one: Schema) => Arbitrary<unknown>,
): Arbitrary<object> {
  const names = Object.keys(properties);
  if (names.length === 0) return fc.dictionary(text, fc.jsonValue({ maxDepth: 2 }), { maxKeys: 4 });
  const model = Object.fromEntries(names.map((name) => [name, inner(properties[name] ?? {})]));
  return fc.record(model, { requiredKeys: required.filter((name) => names.includes(name)) });
}

/** The examples of the document name hosts of the Internet; what is sent in a test stays on this machine. */
export const harmless = <T>(example: T): T =>
  JSON.parse(JSON.stringify(example).replaceAll(/https?:\/\/[\w.]*example\.com/g, 'http://127.0.0.1:9')) as T;

/** Lone surrogates and broken escapes as they may stand in a URL. */
const escape = (value: string): string => {
  const whole = value.replaceAll(/\p{Surrogate}/gu, '');
  return (whole === value ? '' : '%ED%A0%80') + encodeURIComponent(whole);
};

const querySpelling = (name: string, value: unknown): Arbitrary<string> => {
  const spelt = `${name}=${escape(typeof value === 'string' ? value : JSON.stringify(value)).slice(0, 3_000)}`;
  return fc.oneof(
    { weight: 12, arbitrary: fc.constant(spelt) },
    { weight: 1, arbitrary: fc.constantFrom(`${spelt}&${spelt}`, `${name}[]=1`, `${name}[a]=1`, `${name}=%zz`, name) },
  );
};

const queryOf = (operation: Operation): Arbitrary<string> =>
  fc
    .tuple(
      ...parametersIn(operation, 'query').map(({ name, schema, required }) =>
        fc
          .option(
            fitting(schema, 25).chain((value) => querySpelling(name, value)),
            { freq: required ? 9 : 1 },
          )
          .map((part) => part ?? ''),
      ),
      fc.oneof(
        { weight: 9, arbitrary: fc.constant('') },
        { weight: 1, arbitrary: text.map((odd) => escape(odd).slice(0, 99)) },
      ),
    )
    .map((parts) => parts.filter(Boolean).join('&'));

/** Node's client refuses to send what no HTTP header may hold; of the rest everything goes. */
const headerText = text.map((value) => value.replaceAll(/[^\t\x20-\x7e\x80-\xff]/g, '').slice(0, 300));

const headersOf = (operation: Operation): Arbitrary<Record<string, string>> =>
  fc.record(
    {
      ...Object.fromEntries(parametersIn(operation, 'header').map(({ name }) => [name, headerText])),
      'x-request-id': headerText,
      range: fc.constantFrom('bytes=0-', 'bytes=9999999-', 'bytes=-0', 'bytes=5-2', 'bytes=a-b', 'bytes=0-1,3-4'),
      accept: fc.constantFrom('*/*', 'application/json', 'text/html', 'text/event-stream', 'q=;;'),
    },
    { requiredKeys: [] },
  );

const TYPES = ['text/plain', 'application/json; charset=latin1', 'multipart/form-data', 'application/xml', 'a', ''];
const BROKEN = [
  '',
  '{',
  '[]',
  'null',
  '"x"',
  '{"a":1,}',
  '{"a":01}',
  '\ufeff{}',
  '{"a":1}{',
  '['.repeat(5_000),
  'NaN',
  '{"a":"\u0001"}',
];

/** Bodies from right to senseless, in the type that they should have and in others. */
function bodyOf(operation: Operation): Arbitrary<Pick<FuzzedRequest, 'headers' | 'body'>> {
  const example = exampleBody(operation);
  const schema = operation.bodies['application/json']?.schema;
  if (!example || !schema) return fc.constant({ headers: {} });
  const right = harmless(example);
  const nearly = fc
    .tuple(fc.constantFrom(...Object.keys(right), 'unknown'), anything)
    .map(([name, value]) => JSON.stringify({ ...right, [name]: value }));
  const written = fc.oneof(
    { weight: 2, arbitrary: fc.constant(JSON.stringify(right)) },
    { weight: 4, arbitrary: nearly },
    { weight: 5, arbitrary: fitting(schema, 8).map((value) => JSON.stringify(value) ?? '') },
    { weight: 1, arbitrary: fc.constantFrom(...BROKEN) },
    { weight: 1, arbitrary: fc.constantFrom(JSON.stringify({ metadata: 'x'.repeat(300_000) }), '{"a":"\\ud800"}') },
  );
  const type = fc.oneof(
    { weight: 20, arbitrary: fc.constant('application/json') },
    { weight: 1, arbitrary: fc.constantFrom(...TYPES) },
  );
  return fc.tuple(written, type).map(([body, contentType]) => ({ headers: { 'content-type': contentType }, body }));
}

const FORM = 'edge';
const part = (name: string, value: string, more = ''): string =>
  `--${FORM}\r\nContent-Disposition: form-data; name="${name}"${more}\r\n\r\n${value}\r\n`;

/** Forms of every kind, cut off in a few. */
const form: Arbitrary<Pick<FuzzedRequest, 'headers' | 'body'>> = fc
  .record({
    fields: fc.array(fc.tuple(fc.constantFrom('title', 'source_type', 'file', 'x'), text), { maxLength: 3 }),
    title: fc.constantFrom('A file', '', 'é'.repeat(300)),
    name: fc.oneof(fc.constantFrom('a.txt', 'a.pdf', 'a.exe', '../a.md', 'a'), text),
    file: text,
    end: fc.constantFrom(`--${FORM}--\r\n`, `--${FORM}--\r\n`, '', `--${FORM}`),
  })
  .map(({ fields, title, name, file, end }) => {
    const own = [part('title', title), part('source_type', 'file'), ...fields.map(([key, value]) => part(key, value))];
    const attached = part('file', file, `; filename="${name.replaceAll(/["\r\n]/g, '')}"`);
    const body = Buffer.from(own.join('') + attached + end);
    return { headers: { 'content-type': `multipart/form-data; boundary=${FORM}` }, body };
  });

/** A form with a file that its route accepts. */
const rightForm = fc.constant({
  headers: { 'content-type': `multipart/form-data; boundary=${FORM}` },
  body: Buffer.from(`${part('file', 'to_number\n+15550002222', '; filename="contacts.csv"')}--${FORM}--\r\n`),
});
/** Tables of every kind, cut off in a few. */
const table: Arbitrary<Pick<FuzzedRequest, 'headers' | 'body'>> = fc
  .array(fc.oneof(fc.constantFrom('number,reason', '+12025550100', '+1900*,"a;b"', '"', ',,,', '\ufeffphone'), text), {
    maxLength: 5,
  })
  .map((lines) => ({ headers: { 'content-type': 'text/csv' }, body: lines.join('\n') }));

const ODD_IDS = [
  '0',
  '-1',
  '01',
  '1e0',
  '1.5',
  'abc',
  '%00',
  '%zz',
  '%ED%A0%80',
  '%2e%2e%2f',
  '2147483648',
  '9'.repeat(400),
  '%20',
  'null',
];

/** Requests of one operation: right, nearly right, hostile. */
export function requestsOf(operation: Operation): Arbitrary<FuzzedRequest> {
  const id = fc.oneof(
    { weight: 8, arbitrary: fc.constant(null) },
    { weight: 1, arbitrary: fc.constantFrom(...ODD_IDS) },
    { weight: 1, arbitrary: text.map((value) => escape(value).slice(0, 500) || '0') },
  );
  const ids = Object.fromEntries(parametersIn(operation, 'path').map(({ name }) => [name, id]));
  const others = [
    ...('multipart/form-data' in operation.bodies ? [form, rightForm] : []),
    ...('text/csv' in operation.bodies ? [table] : []),
  ];
  const bodies = fc.oneof(bodyOf(operation), ...others);
  const anyRequest = fc
    .record({ ids: fc.record(ids), query: queryOf(operation), headers: headersOf(operation), sent: bodies })
    .map(({ sent, headers, ...rest }) => ({ ...rest, ...sent, headers: { ...headers, ...sent.headers } }));
  const example = exampleBody(operation);
  if (!example) return anyRequest;
  // Few random requests with many optional fields are valid as a whole.
  const right = fc.constant({
    ids: Object.fromEntries(Object.keys(ids).map((name) => [name, null])),
    query: '',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(harmless(example)),
  });
  return fc.oneof({ weight: 9, arbitrary: anyRequest }, { weight: 1, arbitrary: right });
}
