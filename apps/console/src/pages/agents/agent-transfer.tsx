import type { VNode } from 'preact';
import type { WholeAgent } from '../../api/types.js';
import { Choice, Field } from '../../components/forms.js';
import { FormOrJson } from '../../components/form-or-json.js';
import { useJsonText } from '../../components/json-field.js';
import { NumberInput } from '../../components/number-input.js';
import { RowList, RowText } from '../../components/row-list.js';
import { type DestinationRow, newDestination, TRANSFER_FORM, type TransferState } from '../../logic/transfer-form.js';

const MODES = [
  ['cold', 'Cold: connect when answered'],
  ['warm', 'Warm: brief the person first'],
  ['conference', 'Conference: brief the person, then join the call'],
] as const;

const BRIEFINGS = [
  ['', 'Default'],
  ['summary', 'Read out the summary'],
  ['own_words', 'In the words of the model'],
] as const;

/** That of the API. */
const MAX_DESTINATIONS = 10;

const NAME = 'call_transfer.options';
const ROWS = 'call_transfer.destinations';

/** Number, mode and destinations of transfers. */
export const Transfers = ({ agent }: { agent: WholeAgent | undefined }): VNode => (
  <>
    <div class="pair">
      <Field name="call_transfer.phone_number" label="Transfer number">
        <NumberInput defaultValue={agent?.call_transfer.phone_number ?? ''} placeholder="+15550002222" />
      </Field>
      <Field name="call_transfer.mode" label="Transfer mode">
        <Choice options={MODES} selected={agent?.call_transfer.mode ?? 'cold'} />
      </Field>
    </div>
    <Options agent={agent} />
  </>
);

function Options({ agent }: { agent: WholeAgent | undefined }): VNode {
  const { briefing, accept_prompt, accept_timeout_seconds, destinations } = agent?.call_transfer ?? {};
  const text = useJsonText(agent ? { briefing, accept_prompt, accept_timeout_seconds, destinations } : null);
  return (
    <details
      open={destinations !== undefined && destinations.length > 0 ? true : undefined}
      data-part="transfers-settings"
    >
      <summary>Transfer destinations and briefing</summary>
      <FormOrJson
        name={NAME}
        label="Transfer destinations"
        hint="destinations (name, to_number, description, extension, headers, uui, ring_timeout_seconds), briefing, accept_prompt, accept_timeout_seconds"
        rows={6}
        text={text}
        shape={TRANSFER_FORM}
      >
        {(state, change) => <TransferFields state={state} change={change} />}
      </FormOrJson>
    </details>
  );
}

interface FieldsParts {
  state: TransferState;
  change: (changes: Partial<TransferState>) => void;
}

const TransferFields = ({ state, change }: FieldsParts): VNode => (
  <>
    <RowList
      name={ROWS}
      label="Destinations"
      isLabelUnseen
      what="destination"
      rows={state.destinations}
      max={MAX_DESTINATIONS}
      create={newDestination}
      onChange={(destinations) => change({ destinations })}
    >
      {(row, index, changeRow) => <DestinationFields name={`${ROWS}.${index}`} row={row} change={changeRow} />}
    </RowList>
    <p class="hint">Tried in this order. With destinations, the transfer number above is not used.</p>
    <div class="pair">
      <Field name="call_transfer.briefing" label="Briefing" hint="Warm transfers and conferences only.">
        <Choice options={BRIEFINGS} selected={state.briefing} onChange={(briefing) => change({ briefing })} />
      </Field>
      <RowText
        name="call_transfer.accept_timeout_seconds"
        label="Acceptance timeout (seconds)"
        inputMode="numeric"
        placeholder="30"
        value={state.acceptSeconds}
        onInput={(acceptSeconds) => change({ acceptSeconds })}
      />
    </div>
    <RowText
      name="call_transfer.accept_prompt"
      label="Acceptance question"
      placeholder="Press 1 or say yes to take the call."
      value={state.acceptPrompt}
      onInput={(acceptPrompt) => change({ acceptPrompt })}
    />
  </>
);

interface DestinationParts {
  name: string;
  row: DestinationRow;
  change: (changes: Partial<DestinationRow>) => void;
}

function DestinationFields({ name, row, change }: DestinationParts): VNode {
  const hasMore = [row.extension, row.ringSeconds, row.headers, row.uui].some((text) => text !== '');
  return (
    <>
      <div class="pair">
        <RowText
          name={`${name}.name`}
          label="Name"
          placeholder="support"
          value={row.name}
          onInput={(text) => change({ name: text })}
        />
        <RowText
          name={`${name}.to_number`}
          label="Number or SIP URI"
          placeholder="+15550002222"
          value={row.toNumber}
          onInput={(toNumber) => change({ toNumber })}
        />
      </div>
      <RowText
        name={`${name}.description`}
        label="Description"
        hint="Tells the agent when to choose this destination."
        placeholder="Technical questions"
        value={row.description}
        onInput={(description) => change({ description })}
      />
      <details open={hasMore || undefined}>
        <summary>Extension, timeout and SIP headers</summary>
        <div class="stack">
          <div class="pair">
            <RowText
              name={`${name}.extension`}
              label="Extension"
              hint="DTMF keys sent after the answer. A comma is a pause of one second."
              placeholder=",,204#"
              value={row.extension}
              onInput={(extension) => change({ extension })}
            />
            <RowText
              name={`${name}.ring_timeout_seconds`}
              label="Ring timeout (seconds)"
              inputMode="numeric"
              value={row.ringSeconds}
              onInput={(ringSeconds) => change({ ringSeconds })}
            />
          </div>
          <RowText
            name={`${name}.headers`}
            label="SIP headers"
            hint="One per line, each with the metadata key of the call that provides its value."
            placeholder="X-Customer-Id: customer_id"
            value={row.headers}
            onInput={(headers) => change({ headers })}
            lines={2}
          />
          <RowText
            name={`${name}.uui`}
            label="User-to-User"
            hint="Metadata key of the call whose value is sent as User-to-User header."
            value={row.uui}
            onInput={(uui) => change({ uui })}
          />
        </div>
      </details>
    </>
  );
}
