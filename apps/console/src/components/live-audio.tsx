import type { ComponentChildren, VNode } from 'preact';
import { useEffect, useLayoutEffect, useRef } from 'preact/hooks';
import { wordless } from '../logic/format.js';
import type { SpeakerRole, SpokenTurn } from '../logic/spoken.js';

interface LevelParts {
  label: string;
  role: SpeakerRole;
  /** Loudness from 0 to 1, asked for while the meter is shown. */
  level: () => number;
  /** Beside the meter, such as "muted". */
  note?: ComponentChildren;
}

const STEPS = 10;
const LOOK_EVERY_MS = 60;

/** How loud one side of a call is. The page is not rendered for each change. */
export function Level({ label, role, level, note }: LevelParts): VNode {
  const bar = useRef<HTMLDivElement>(null);
  const read = useRef(level);
  read.current = level;
  useEffect(() => {
    const timer = setInterval(() => {
      const steps = Math.round(Math.min(1, Math.max(0, read.current())) * STEPS);
      bar.current?.style.setProperty('--level', String(steps / STEPS));
      bar.current?.setAttribute('aria-valuenow', String(steps));
    }, LOOK_EVERY_MS);
    return () => clearInterval(timer);
  }, []);
  return (
    <div class={`level ${role}`}>
      <span class="level-name">{label}</span>
      <div
        ref={bar}
        class="level-bar"
        role="meter"
        aria-label={`Volume: ${label}`}
        aria-valuemin={0}
        aria-valuemax={STEPS}
        aria-valuenow={0}
      >
        <span />
      </div>
      <span class="level-note muted small">{note}</span>
    </div>
  );
}

interface WordsParts {
  turns: readonly SpokenTurn[];
  label: string;
  names: Readonly<Record<SpeakerRole, string>>;
  /** Shown before the first word. */
  empty: string;
}

/** The words of a call as they are spoken. Screen readers hear each turn once, when its words are final. */
export function LiveWords({ turns, label, names, empty }: WordsParts): VNode {
  const place = useRef<HTMLDivElement>(null);
  useLayoutEffect(() => place.current?.scrollTo(0, place.current.scrollHeight), [turns]);
  const running = turns.filter(({ final }) => !final);
  return (
    <div ref={place} class="live-words" tabIndex={0} role="group" aria-label={label}>
      {turns.length === 0 && <p class="muted">{empty}</p>}
      <div role="log" aria-live="polite" aria-label="What was said">
        <ol class="talk">
          {turns
            .filter(({ final }) => final)
            .map((turn) => (
              <Words key={`${turn.role}-${turn.turn}`} turn={turn} name={names[turn.role]} />
            ))}
        </ol>
      </div>
      {running.length > 0 && (
        <ol class="talk" aria-hidden="true">
          {running.map((turn) => (
            <Words key={`${turn.role}-${turn.turn}`} turn={turn} name={names[turn.role]} />
          ))}
        </ol>
      )}
    </div>
  );
}

const Words = ({ turn: { role, text, final }, name }: { turn: SpokenTurn; name: string }): VNode => (
  <li class={`entry turn ${role === 'user' ? 'far' : role}`} data-role={role} data-final={final}>
    <div class="entry-head">
      <strong>{name}</strong>
    </div>
    <p class={`bubble${final ? '' : ' now'}`}>
      {spokenText(text)}
      {!final && ' …'}
    </p>
  </li>
);

/** The sandbox agent knows only for how long somebody spoke. */
function spokenText(text: string): string {
  const length = wordless(text);
  return length === undefined ? text : `spoke for ${length} (no transcription)`;
}

const KEYS = ['1', '2', '3', '4', '5', '6', '7', '8', '9', '*', '0', '#'] as const;
const SPOKEN_KEYS: Readonly<Record<string, string>> = { '*': 'star', '#': 'pound' };

/** The keys of a phone. Those of the keyboard work as well while one of them has the focus. */
export const Keypad = ({ onPress }: { onPress: (key: string) => void }): VNode => (
  <div
    class="keypad"
    role="group"
    aria-label="Phone keys"
    onKeyDown={(event) => {
      if (event.ctrlKey || event.metaKey || event.altKey) return;
      if ((KEYS as readonly string[]).includes(event.key)) onPress(event.key);
    }}
  >
    {KEYS.map((key) => (
      <button
        key={key}
        type="button"
        data-key={key}
        aria-label={`Key ${SPOKEN_KEYS[key] ?? key}`}
        onClick={() => onPress(key)}
      >
        {key}
      </button>
    ))}
  </div>
);
