import { useSignal } from '@preact/signals';
import type { VNode } from 'preact';
import type { FieldErrors } from '../../api/client.js';
import type { NewTool, Tool } from '../../api/types.js';
import { Choice, Field, numberOf, textOf } from '../../components/forms.js';
import { JsonField, jsonOf, useJsonText } from '../../components/json-field.js';

type Phrases = Tool['say_before'];

const DEFAULT_AFTER_SECONDS = 4;
const DEFAULT_EVERY_SECONDS = 15;

/** What the agent says around the tool, and what becomes of its answer. */
export function ToolBehaviour({ tool }: { tool: Tool | undefined }): VNode {
  const before = useSignal(tool?.say_before == null ? 'filler' : tool.say_before === '' ? 'silence' : 'words');
  const assign = useJsonText(tool?.assign ?? null);
  const waiting = tool?.say_while_waiting;
  return (
    <section class="card stack" aria-label="In the conversation">
      <h2>In the conversation</h2>
      <p class="hint">What the agent says around the tool. Of several lines, each use takes the next one.</p>
      <Field name="say_before.kind" label="When it uses the tool">
        <Choice
          options={[
            ['filler', 'It asks to wait when it becomes silent'],
            ['words', 'It says these words'],
            ['silence', 'It says nothing'],
          ]}
          selected={before.value}
          onChange={(kind) => (before.value = kind)}
        />
      </Field>
      <Field name="say_before" label="Words before" hint="One text per line." hidden={before.value !== 'words'}>
        <textarea rows={2} defaultValue={linesOf(tool?.say_before)} placeholder="Let me look that up." />
      </Field>
      <Field name="say_while_waiting.text" label="While it waits" hint="One text per line. Empty: nothing.">
        <textarea rows={2} defaultValue={linesOf(waiting?.text)} placeholder="I am still looking." />
      </Field>
      <div class="pair">
        <Field name="say_while_waiting.after_seconds" label="First after (seconds)">
          <input
            inputMode="numeric"
            class="short"
            defaultValue={String(waiting?.after_seconds ?? DEFAULT_AFTER_SECONDS)}
          />
        </Field>
        <Field name="say_while_waiting.every_seconds" label="Then every (seconds)">
          <input
            inputMode="numeric"
            class="short"
            defaultValue={String(waiting?.every_seconds ?? DEFAULT_EVERY_SECONDS)}
          />
        </Field>
      </div>
      <Field
        name="say_on_failure"
        label="When it fails"
        hint="One text per line. Empty: the agent finds its own words."
      >
        <textarea rows={2} defaultValue={linesOf(tool?.say_on_failure)} placeholder="I cannot reach our system." />
      </Field>
      <Field name="confirm" label="Ask the caller first" hint="The agent reads the values back and waits for a yes.">
        <input type="checkbox" defaultChecked={tool?.confirm ?? false} />
      </Field>
      <Field
        name="mode"
        label="While the tool works"
        hint="In the background, {{callback.url}} in a request is where your system reports the result within 15 minutes."
      >
        <Choice
          options={[
            ['wait', 'The agent waits for the result'],
            ['background', 'The conversation goes on'],
          ]}
          selected={tool?.mode ?? 'wait'}
        />
      </Field>
      <JsonField
        name="assign"
        label="Keep from the answer"
        hint="Names of variables, each with the place of its value in the answer (a JSON pointer). Later requests use them as {{vars.booking_id}}."
        rows={3}
        text={assign}
        placeholder={'{ "booking_id": "/id" }'}
      />
      <Field name="private" label="Hide the answer from the model" hint="It learns only what was kept.">
        <input type="checkbox" defaultChecked={tool?.private ?? false} />
      </Field>
    </section>
  );
}

type Behaviour = Pick<
  NewTool,
  'say_before' | 'say_while_waiting' | 'say_on_failure' | 'assign' | 'private' | 'confirm' | 'mode'
>;

/** The fields as entered. Adds problems to `errors`. */
export function behaviourIn(values: FormData, errors: FieldErrors): Behaviour {
  const kind = textOf(values, 'say_before.kind');
  const text = phrasesIn(values, 'say_while_waiting.text');
  return {
    say_before: kind === 'silence' ? '' : kind === 'words' ? phrasesIn(values, 'say_before') : null,
    say_while_waiting:
      text === null
        ? null
        : {
            after_seconds: numberOf(values, 'say_while_waiting.after_seconds') ?? DEFAULT_AFTER_SECONDS,
            every_seconds: numberOf(values, 'say_while_waiting.every_seconds') ?? DEFAULT_EVERY_SECONDS,
            text,
          },
    say_on_failure: phrasesIn(values, 'say_on_failure'),
    assign: jsonOf(values, 'assign', errors) as Record<string, string> | null,
    private: values.has('private'),
    confirm: values.has('confirm'),
    mode: textOf(values, 'mode') === 'background' ? 'background' : 'wait',
  };
}

const linesOf = (phrases: Phrases | undefined): string => [phrases ?? []].flat().join('\n');

function phrasesIn(values: FormData, name: string): Phrases {
  const lines = textOf(values, name)
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '');
  return lines.length > 1 ? lines : (lines[0] ?? null);
}
