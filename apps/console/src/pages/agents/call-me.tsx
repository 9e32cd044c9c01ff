import type { VNode } from 'preact';
import { useRef } from 'preact/hooks';
import { rememberedNumber, rememberNumber } from '../../api/remembered-number.js';
import type { WholeAgent } from '../../api/types.js';
import { Icon } from '../../components/icons.js';
import { Loaded } from '../../components/lists.js';
import { Empty } from '../../components/parts.js';
import { May } from '../../components/permissions.js';
import { CallForm, useCallChoices } from '../calls/dial-box.js';

/** Calls the person at the console, on a number that the browser remembers. */
export const CallMe = ({ agent }: { agent: WholeAgent }): VNode => (
  <details class="card call-me" data-part="call-me">
    <summary>
      <h2>
        <Icon name="phone" />
        Call me with this agent
      </h2>
    </summary>
    <May scope="calls:write" says>
      <May scope="numbers:read" says>
        <CallMeForm agent={agent} />
      </May>
    </May>
  </details>
);

function CallMeForm({ agent }: { agent: WholeAgent }): VNode {
  const choices = useCallChoices();
  const known = useRef(rememberedNumber()).current;
  return (
    <Loaded of={choices} what="numbers">
      {({ numbers, trunks }) =>
        numbers.length === 0 ? (
          <Empty icon="number" title="No number to call from">
            <May scope="numbers:write">
              <p>
                <a href="#/numbers">Add a number</a> of your carrier. Without a carrier, any number reaches the sandbox
                phone.
              </p>
            </May>
          </Empty>
        ) : (
          <CallForm
            label="Call me with this agent"
            submit="Call me"
            destination={{ label: 'Your number', hint: 'This browser remembers it.', given: known }}
            agent={agent}
            numbers={numbers}
            trunks={trunks}
            onPlaced={rememberNumber}
          />
        )
      }
    </Loaded>
  );
}
