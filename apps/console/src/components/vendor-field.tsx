import { useSignal } from '@preact/signals';
import type { VNode } from 'preact';
import { useEffect, useRef } from 'preact/hooks';
import { ask, messageOf, request } from '../api/client.js';
import { apiPath } from '../api/path.js';
import type { VendorCatalog, VendorModel, VendorVoice } from '../api/types.js';
import { Choice, Field } from './forms.js';
import { Icon } from './icons.js';
import { useRead } from './lists.js';
import { useAct } from './parts.js';

type Use = VendorModel['uses'][number];

/** The value of the option that leads to a free text. */
const CUSTOM = 'Other…';

interface Catalog extends Pick<VendorCatalog, 'models' | 'voices'> {
  /** Why there is no list. */
  message: string | undefined;
}

/** The lists of a vendor; empty while they are read. */
function useCatalog(vendor: string): Catalog {
  const { data, error } = useRead(`vendor ${vendor}`, async (signal) => {
    const query = { vendor };
    return (await ask<{ data: VendorCatalog }>('GET', apiPath`vendors/catalog`, { query, signal })).data;
  });
  const { models = [], voices = [] } = data ?? {};
  return { models, voices, message: data?.message ?? (error === undefined ? undefined : messageOf(error)) };
}

interface FieldParts {
  name: string;
  label: string;
  /** A provider of agents, or the vendor of a leg. */
  vendor: string;
  value: string;
}

/** The model of a vendor: from its list, or a free text. Another vendor has a field of its own, without the value of this one. */
export const ModelField = (parts: ModelParts): VNode => <ModelOf key={parts.vendor} {...parts} />;

/** The voice of a vendor: from its list, with a sample, or a free text. As for models, another vendor has a field of its own. */
export const VoiceField = (parts: FieldParts): VNode => <VoiceOf key={parts.vendor} {...parts} />;

interface ModelParts extends FieldParts {
  use: Use;
}

function ModelOf({ use, ...parts }: ModelParts): VNode {
  const { models, message } = useCatalog(parts.vendor);
  const usable = models.filter(({ uses }) => uses.includes(use));
  const options = usable.map(({ id, name }) => [id, name === id ? id : `${name} (${id})`] as const);
  return <ListedField {...parts} options={options} hint={message} />;
}

function VoiceOf(parts: FieldParts): VNode {
  const { voices, message } = useCatalog(parts.vendor);
  const isBuiltIn = parts.vendor === 'sandbox';
  return (
    <ListedField
      {...parts}
      options={isBuiltIn ? [] : voices.map((voice) => [voice.id, voiceText(voice)] as const)}
      hint={message}
      sample={(value) => {
        const voice = isBuiltIn ? voices[0] : voices.find(({ id }) => id === value);
        return voice?.has_sample ? <SampleButton key={voice.id} vendor={parts.vendor} voice={voice} /> : null;
      }}
    />
  );
}

const voiceText = ({ name, description, languages }: VendorVoice): string =>
  [name, description, languages.slice(0, 3).join(', ')].filter((text) => text !== '').join(' · ');

interface ListedParts extends FieldParts {
  options: readonly (readonly [value: string, label: string])[];
  hint: string | undefined;
  sample?: (value: string) => VNode | null;
}

/** A select of a list, or an input while there is none. A value that is not in the list stays. */
function ListedField({ name, label, value: given, options, hint, sample }: ListedParts): VNode {
  const value = useSignal(given);
  const isCustom = useSignal(false);
  const place = useRef<HTMLDivElement>(null);
  const choose = (chosen: string): void => {
    isCustom.value = chosen === CUSTOM;
    if (chosen === CUSTOM) queueMicrotask(() => place.current?.querySelector('input')?.focus());
    else value.value = chosen;
  };
  const isKnown = value.value === '' || options.some(([one]) => one === value.value);
  return (
    <div ref={place} class="listed-field">
      {options.length > 0 && !isCustom.value ? (
        <Field name={name} label={label} hint={hint}>
          <Choice
            options={[
              ['', 'Provider default'],
              ...(isKnown ? [] : [[value.value, value.value] as const]),
              ...options,
              [CUSTOM, CUSTOM],
            ]}
            selected={value.value}
            onChange={choose}
          />
        </Field>
      ) : (
        <Field name={name} label={label} hint={hint}>
          <input
            value={value.value}
            onInput={(event) => (value.value = event.currentTarget.value)}
            autocomplete="off"
            spellcheck={false}
            placeholder="Provider default"
          />
        </Field>
      )}
      {sample?.(value.value)}
    </div>
  );
}

/** Plays the sample of a voice. It is read with the token and decoded here, so that no other host is asked and no address holds the token. */
function SampleButton({ vendor, voice }: { vendor: string; voice: VendorVoice }): VNode {
  const { run, isBusy, said } = useAct();
  const playing = useRef<{ context: AudioContext; source: AudioBufferSourceNode } | undefined>(undefined);
  const isPlaying = useSignal(false);
  const stop = (): void => {
    isPlaying.value = false;
    void playing.current?.context.close();
    playing.current = undefined;
  };
  useEffect(() => stop, []);
  const play = async (): Promise<void> => {
    const query = { vendor, voice: voice.id };
    const headers = { Accept: 'audio/*' };
    const response = await request('GET', apiPath`vendors/voice-sample`, { query, headers });
    const context = new AudioContext();
    const source = context.createBufferSource();
    source.buffer = await context.decodeAudioData(await response.arrayBuffer());
    source.connect(context.destination);
    source.onended = stop;
    playing.current = { context, source };
    source.start();
    isPlaying.value = true;
  };
  return (
    <div class="sample">
      <button
        type="button"
        class="quiet"
        data-act="sample"
        aria-disabled={isBusy}
        data-playing={isPlaying.value}
        onClick={() => (isPlaying.value ? stop() : run(play))}
      >
        <Icon name={isPlaying.value ? 'pause' : 'play'} />
        {isPlaying.value ? 'Stop' : isBusy ? 'Loading sample…' : 'Play sample'}
        <span class="unseen">: {voice.name}</span>
      </button>
      {said}
    </div>
  );
}
