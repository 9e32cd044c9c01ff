import {
  type FormShape,
  given,
  givenNumber,
  isJsonObject,
  type JsonObject,
  linesOf,
  notShown,
  numberIn,
  onlyKeys,
  stateOr,
  textIn,
} from './form-or-json.js';

/** A destination of transfers, as typed. */
export interface DestinationRow {
  key: number;
  name: string;
  toNumber: string;
  description: string;
  extension: string;
  ringSeconds: string;
  /** `X-Customer-Id: customer_id`, one per line. */
  headers: string;
  uui: string;
}

export interface TransferState {
  destinations: readonly DestinationRow[];
  briefing: string;
  acceptPrompt: string;
  acceptSeconds: string;
}

export const newDestination = (key: number): DestinationRow => ({
  key,
  ...{ name: '', toNumber: '', description: '', extension: '', ringSeconds: '', headers: '', uui: '' },
});

const FIELDS = ['name', 'to_number', 'description', 'extension', 'headers', 'uui', 'ring_timeout_seconds'];

/** The settings of transfers beside number and mode. */
export const TRANSFER_FORM: FormShape<TransferState> = {
  read: (options) => stateOr(() => readTransfer(options)),
  write: writeTransfer,
};

function readTransfer(options: JsonObject): TransferState {
  const where = 'The transfer';
  onlyKeys(options, ['destinations', 'briefing', 'accept_prompt', 'accept_timeout_seconds'], where);
  const { destinations = [] } = options;
  if (!Array.isArray(destinations)) return notShown('“destinations” must be a list.');
  return {
    destinations: destinations.map(rowOf),
    briefing: textIn(options, 'briefing', where),
    acceptPrompt: textIn(options, 'accept_prompt', where),
    acceptSeconds: numberIn(options, 'accept_timeout_seconds', where),
  };
}

function rowOf(one: unknown, key: number): DestinationRow {
  const where = `Destination ${key + 1}`;
  if (!isJsonObject(one)) return notShown(`${where} is not an object.`);
  onlyKeys(one, FIELDS, where);
  const { headers = {} } = one;
  if (!isJsonObject(headers)) return notShown(`“headers” of ${where.toLowerCase()} must be an object.`);
  return {
    key,
    name: textIn(one, 'name', where),
    toNumber: textIn(one, 'to_number', where),
    description: textIn(one, 'description', where),
    extension: textIn(one, 'extension', where),
    ringSeconds: numberIn(one, 'ring_timeout_seconds', where),
    headers: Object.entries(headers)
      .map(([name, source]) => headerLine(name, source, where))
      .join('\n'),
    uui: textIn(one, 'uui', where),
  };
}

/** Header names have no colon (RFC 3261 §7.3.1). */
function headerLine(name: string, source: unknown, where: string): string {
  const isLine =
    typeof source === 'string' &&
    source !== '' &&
    source.trim() === source &&
    !/[\r\n]/.test(source) &&
    /^[^\s:]+$/.test(name);
  return isLine ? `${name}: ${source}` : notShown(`A header of ${where.toLowerCase()} cannot be shown.`);
}

/** Absent and null are the same to the API: the defaults. Briefing and its question follow the mode and are always given. */
function writeTransfer({ destinations, briefing, acceptPrompt, acceptSeconds }: TransferState): JsonObject {
  return {
    ...given('briefing', briefing),
    accept_prompt: acceptPrompt === '' ? null : acceptPrompt,
    ...givenNumber('accept_timeout_seconds', acceptSeconds),
    destinations: destinations.map((row) => ({
      name: row.name.trim(),
      to_number: row.toNumber.trim(),
      ...given('description', row.description.trim()),
      ...given('extension', row.extension.trim()),
      ...(row.headers.trim() !== '' && { headers: headersOf(row.headers) }),
      ...given('uui', row.uui.trim()),
      ...givenNumber('ring_timeout_seconds', row.ringSeconds),
    })),
  };
}

/** A line without a colon is a header without a source, for the error of the API. */
const headersOf = (text: string): Record<string, string> =>
  Object.fromEntries(
    linesOf(text).map((line) => {
      const at = line.indexOf(':');
      return at < 0 ? [line, ''] : [line.slice(0, at).trim(), line.slice(at + 1).trim()];
    }),
  );
