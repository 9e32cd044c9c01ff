/** The vendors of voices and models that an agent can name: providers, and the vendors of pipeline legs. */
export const CATALOG_VENDORS = [
  'sandbox',
  'openai-realtime',
  'openai-live',
  'gemini-live',
  'deepgram',
  'assemblyai',
  'openai',
  'openai-compatible',
  'anthropic',
  'google',
  'elevenlabs',
  'cartesia',
  'program',
] as const;
export type CatalogVendor = (typeof CATALOG_VENDORS)[number];

/** `conversation`: speech to speech. The others are the legs of a pipeline. */
export const MODEL_USES = ['conversation', 'transcriber', 'model', 'synthesizer'] as const;
export type ModelUse = (typeof MODEL_USES)[number];

interface ListedModel {
  /** The value of the field `model`. */
  id: string;
  name: string;
  uses: readonly ModelUse[];
}

interface ListedVoice {
  /** The value of the field `voice`. */
  id: string;
  name: string;
  /** Accent, age, character, in the words of the vendor; empty: none. */
  description: string;
  /** As the vendor writes them, such as `en-US`; empty: any, or unknown. */
  languages: readonly string[];
  /** The address of a recording. */
  sample?: string;
}

export interface VendorLists {
  models: readonly ListedModel[];
  voices: readonly ListedVoice[];
}

/** One request of a list. */
export interface ListRequest {
  /** Below the address of the vendor, with the query. */
  path: string;
  read(body: unknown): Partial<VendorLists>;
  /** The query of the next page; undefined: it was the last. */
  next?(body: unknown): Record<string, string> | undefined;
}

/** How a vendor's lists are requested. */
export interface VendorCatalog {
  headers(key: string): Record<string, string>;
  requests: readonly ListRequest[];
  /** Voices that the vendor publishes in its documentation alone. */
  voices?: readonly ListedVoice[];
}

const MAX_ENTRIES = 1_000;
const MAX_TEXT = 200;
const MAX_URL = 2_048;

type JsonObject = Record<string, unknown>;

const isObject = (value: unknown): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** The objects of a list in a response; anything else of it is skipped, as vendors extend their formats. */
function objectsIn(body: unknown, key: string): JsonObject[] {
  const list = isObject(body) ? body[key] : undefined;
  return Array.isArray(list) ? list.filter(isObject).slice(0, MAX_ENTRIES) : [];
}

const textOf = (value: unknown): string => (typeof value === 'string' ? value.slice(0, MAX_TEXT) : '');
const urlIn = (value: unknown): { sample?: string } =>
  typeof value === 'string' && value !== '' && value.length <= MAX_URL ? { sample: value } : {};
const textsOf = (value: unknown): string[] => (Array.isArray(value) ? value.map(textOf).filter(Boolean) : []);
const described = (...parts: unknown[]): string => parts.map(textOf).filter(Boolean).join(', ');

const bearer = (key: string): Record<string, string> => ({ authorization: `Bearer ${key}` });
const google = (key: string): Record<string, string> => ({ 'x-goog-api-key': key });

const named = (names: string): ListedVoice[] =>
  names.split(' ').map((name) => ({ id: name, name, description: '', languages: [] }));

/** https://platform.openai.com/docs/guides/realtime-conversations */
const OPENAI_VOICES = named('alloy ash ballad cedar coral echo marin sage shimmer verse');
/** https://platform.openai.com/docs/guides/text-to-speech */
const OPENAI_SPEECH_VOICES = named('alloy ash ballad cedar coral echo fable marin nova onyx sage shimmer verse');
/** https://ai.google.dev/gemini-api/docs/speech-generation#voices */
const GEMINI_VOICES = named(
  'Achernar Achird Algenib Algieba Alnilam Aoede Autonoe Callirrhoe Charon Despina Enceladus Erinome Fenrir Gacrux Iapetus Kore Laomedeia Leda Orus Puck Pulcherrima Rasalgethi Sadachbia Sadaltager Schedar Sulafat Umbriel Vindemiatrix Zephyr Zubenelgenubi',
);

/** `GET /models` of OpenAI (`{ data: [{ id }] }`), which says nothing about the use of a model but its name. */
const openAiModels = (usesOf: (id: string) => readonly ModelUse[]): ListRequest => ({
  path: '/models',
  read: (body) => ({
    models: objectsIn(body, 'data')
      .map(({ id }) => ({ id: textOf(id), name: textOf(id), uses: usesOf(textOf(id)) }))
      .filter(({ id, uses }) => id !== '' && uses.length > 0)
      .toSorted((one, other) => one.id.localeCompare(other.id)),
  }),
});

const NO_TEXT =
  /realtime|live|audio|tts|transcribe|whisper|image|dall-e|sora|embedding|moderation|search|instruct|babbage|davinci/;

function openAiUses(id: string): readonly ModelUse[] {
  if (/realtime|live/.test(id)) return [];
  if (/transcribe|whisper/.test(id)) return ['transcriber'];
  if (/tts/.test(id)) return ['synthesizer'];
  return /^(?:gpt|chatgpt|o\d)/.test(id) && !NO_TEXT.test(id) ? ['model'] : [];
}

/** `GET /v1beta/models` of the Gemini API: `{ models: [{ name: "models/…", displayName, supportedGenerationMethods }] }`. */
const geminiModels = (method: string, use: ModelUse): ListRequest => ({
  path: '/models?pageSize=1000',
  read: (body) => ({
    models: objectsIn(body, 'models')
      .filter(({ supportedGenerationMethods: methods }) => textsOf(methods).includes(method))
      .map(({ name, displayName }) => {
        const id = textOf(name).replace(/^models\//, '');
        return { id, name: textOf(displayName) || id, uses: [use] };
      })
      .filter(({ id }) => id !== ''),
  }),
});

const anthropicModels: ListRequest = {
  path: '/models?limit=1000',
  read: (body) => ({
    models: objectsIn(body, 'data')
      .map(({ id, display_name: name }) => ({
        id: textOf(id),
        name: textOf(name) || textOf(id),
        uses: ['model' as const],
      }))
      .filter(({ id }) => id !== ''),
  }),
};

/** `{ stt: [{ canonical_name, languages, streaming }], tts: [{ name, canonical_name, languages, metadata: { accent, age, tags, sample } }] }` */
const deepgramModels: ListRequest = {
  path: '/v1/models',
  read: (body) => {
    const transcribers = objectsIn(body, 'stt').filter(({ streaming }) => streaming !== false);
    const ids = [...new Set(transcribers.map(({ canonical_name: id }) => textOf(id)).filter(Boolean))];
    const voices = objectsIn(body, 'tts').map(({ name, canonical_name: id, languages, metadata }): ListedVoice => {
      const { display_name: shown, accent, age, tags, sample } = isObject(metadata) ? metadata : ({} as JsonObject);
      return {
        id: textOf(id),
        name: textOf(shown) || textOf(name),
        description: described(accent, age, textsOf(tags).join(', ')),
        languages: textsOf(languages),
        ...urlIn(sample),
      };
    });
    return {
      models: ids.map((id) => ({ id, name: id, uses: ['transcriber'] })),
      voices: voices.filter(({ id }) => id !== ''),
    };
  },
};

/** `{ voices: [{ voice_id, name, labels: { accent, gender, age, … }, preview_url, verified_languages }] }` */
const elevenLabsVoices: ListRequest = {
  path: '/v1/voices',
  read: (body) => ({
    voices: objectsIn(body, 'voices')
      .map(({ voice_id: id, name, labels, preview_url: sample }): ListedVoice => {
        const { gender, age, accent, description, language } = isObject(labels) ? labels : ({} as JsonObject);
        return {
          id: textOf(id),
          name: textOf(name) || textOf(id),
          description: described(gender, age, accent, description),
          languages: textsOf([language]),
          ...urlIn(sample),
        };
      })
      .filter(({ id }) => id !== ''),
  }),
};

/** `[{ model_id, name, can_do_text_to_speech }]` */
const elevenLabsModels: ListRequest = {
  path: '/v1/models',
  read: (body) => ({
    models: objectsIn({ all: body }, 'all')
      .filter(({ can_do_text_to_speech: speaks }) => speaks !== false)
      .map(({ model_id: id, name }) => ({
        id: textOf(id),
        name: textOf(name) || textOf(id),
        uses: ['synthesizer' as const],
      }))
      .filter(({ id }) => id !== ''),
  }),
};

/** `{ data: [{ id, name, description, language, preview_file_url }], has_more }`, in pages that continue after an id. */
const cartesiaVoices: ListRequest = {
  path: '/voices?limit=100&expand[]=preview_file_url',
  read: (body) => ({
    voices: objectsIn(body, 'data')
      .map(({ id, name, description, language, preview_file_url: sample }): ListedVoice => ({
        id: textOf(id),
        name: textOf(name) || textOf(id),
        description: textOf(description),
        languages: textsOf([language]),
        ...urlIn(sample),
      }))
      .filter(({ id }) => id !== ''),
  }),
  next: (body) => {
    const last = objectsIn(body, 'data').at(-1);
    const isMore = isObject(body) && body['has_more'] === true;
    return isMore && last ? { starting_after: textOf(last['id']) } : undefined;
  },
};

const CARTESIA_VERSION = '2026-08-14';

/** The vendors that publish lists, by the formats of their documentation. The others take any name. */
export const VENDOR_CATALOGS: Readonly<Partial<Record<CatalogVendor, VendorCatalog>>> = {
  'openai-realtime': {
    headers: bearer,
    requests: [openAiModels((id) => (/realtime/.test(id) && !/whisper|transcribe/.test(id) ? ['conversation'] : []))],
    voices: OPENAI_VOICES,
  },
  'openai-live': {
    headers: bearer,
    requests: [openAiModels((id) => (/(?:^|-)live(?:-|$)/.test(id) ? ['conversation'] : []))],
    voices: OPENAI_VOICES,
  },
  'gemini-live': {
    headers: google,
    requests: [geminiModels('bidiGenerateContent', 'conversation')],
    voices: GEMINI_VOICES,
  },
  openai: { headers: bearer, requests: [openAiModels(openAiUses)], voices: OPENAI_SPEECH_VOICES },
  'openai-compatible': { headers: bearer, requests: [openAiModels(() => ['model'])] },
  anthropic: {
    headers: (key) => ({ 'x-api-key': key, 'anthropic-version': '2023-06-01' }),
    requests: [anthropicModels],
  },
  google: { headers: google, requests: [geminiModels('generateContent', 'model')] },
  deepgram: { headers: (key) => ({ authorization: `Token ${key}` }), requests: [deepgramModels] },
  elevenlabs: { headers: (key) => ({ 'xi-api-key': key }), requests: [elevenLabsVoices, elevenLabsModels] },
  cartesia: {
    headers: (key) => ({ ...bearer(key), 'cartesia-version': CARTESIA_VERSION }),
    requests: [cartesiaVoices],
  },
};

/** A vendor may list drafts that cannot be named. */
const usable = <T extends { id: string }>(entries: readonly T[]): T[] =>
  entries.filter(({ id }) => id).slice(0, MAX_ENTRIES);

/** One list of several. */
export const joinLists = (all: readonly Partial<VendorLists>[]): VendorLists => ({
  models: usable(all.flatMap(({ models = [] }) => models)),
  voices: usable(all.flatMap(({ voices = [] }) => voices)),
});

/** The HTTP address below which a provider's lists are, from the WebSocket address of its conversations; undefined: it has none. */
export function listAddress(vendor: CatalogVendor, address: string): string | undefined {
  const url = new URL(address.replace(/^ws/, 'http'));
  // Azure lists the models that it sells; the model of an agent is the name of a deployment.
  if (/\.azure(?:-api)?\.(?:com|net|us|cn)$/.test(url.hostname)) return undefined;
  if (vendor === 'gemini-live') return url.pathname === '/' ? `${url.origin}/v1beta` : undefined;
  const path = /^(.*)\/(?:realtime|live\/sessions)\/?$/.exec(url.pathname)?.[1];
  return path === undefined ? undefined : `${url.origin}${path}`;
}

/** A list below the address of a vendor, which may have a query, such as Azure's `api-version`. */
export function listUrl(address: string, path: string, more: Record<string, string> = {}): string {
  const url = new URL(address);
  const wanted = new URL(path, 'http://list');
  url.pathname = `${url.pathname.replace(/\/+$/, '').replace(/\/chat\/completions$/, '')}${wanted.pathname}`;
  for (const [name, value] of [...wanted.searchParams, ...Object.entries(more)]) url.searchParams.set(name, value);
  return url.href;
}
