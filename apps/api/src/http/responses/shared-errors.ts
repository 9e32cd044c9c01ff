import type { OpenAPIObject } from '@nestjs/swagger';
import { isDeepStrictEqual } from 'node:util';

type Responses = NonNullable<NonNullable<OpenAPIObject['components']>['responses']>;
type Response = Exclude<Responses[string], { $ref: string }>;

/** Extension of a response: the name of the component that holds it. */
export const COMPONENT = 'x-component';

const METHODS = ['get', 'post', 'put', 'patch', 'delete'] as const;

/** Suffixes of components with further media types: Nest documents the media types of a route for its errors too. */
const MEDIA_SUFFIXES: Readonly<Record<string, string>> = {
  'text/csv': 'Csv',
  'text/plain': 'Text',
  'text/event-stream': 'EventStream',
  'audio/wav': 'Wav',
  'application/vnd.tcpdump.pcap': 'Pcap',
};

/** Moves the responses that `ApiErrors` documents into the components; operations refer to them. */
export function withSharedErrors(document: OpenAPIObject): OpenAPIObject {
  const shared = new Map<string, Response>();
  for (const path of Object.values(document.paths)) {
    for (const operation of METHODS.flatMap((method) => path[method] ?? [])) {
      for (const [status, response] of Object.entries(operation.responses)) {
        if (response === undefined || '$ref' in response || !(COMPONENT in response)) continue;
        operation.responses[status] = { $ref: `#/components/responses/${addTo(shared, response)}` };
      }
    }
  }
  const responses = Object.fromEntries([...shared].toSorted(([a], [b]) => a.localeCompare(b)));
  return { ...document, components: { ...document.components, responses } };
}

/** @returns the name of the component */
function addTo(
  shared: Map<string, Response>,
  { [COMPONENT]: base, ...response }: Response & { [COMPONENT]?: unknown },
) {
  const name = `${String(base)}${suffixOf(response)}`;
  const known = shared.get(name) ?? response;
  if (!isDeepStrictEqual(known, response)) throw new Error(`Two error responses of the API are named ${name}.`);
  shared.set(name, known);
  return name;
}

const suffixOf = ({ content = {} }: Response): string =>
  Object.keys(content)
    .filter((type) => type !== 'application/json')
    .map((type) => MEDIA_SUFFIXES[type] ?? unnamed(type))
    .join('');

const unnamed = (type: string): never => {
  throw new Error(`Error responses with the media type ${type} need a suffix for the name of their component.`);
};
