import type { VNode } from 'preact';
import { useId } from 'preact/hooks';

let known: readonly string[] | undefined;

/** The time zones of the browser; UTC, which browsers leave out, first. */
const zones = (): readonly string[] => (known ??= [...new Set(['UTC', ...Intl.supportedValuesOf('timeZone')])]);

interface ZoneParts {
  name?: string;
  value?: string;
  defaultValue?: string;
  onInput?: (event: { currentTarget: HTMLInputElement }) => void;
}

/** An input that suggests time zones while one is typed. The API also takes names that this browser does not know. */
export function TimeZoneInput(attributes: ZoneParts): VNode {
  const id = useId();
  return (
    <>
      <input placeholder="Europe/Berlin" {...attributes} type="text" list={id} autocomplete="off" spellcheck={false} />
      <datalist id={id}>
        {zones().map((zone) => (
          <option key={zone} value={zone} />
        ))}
      </datalist>
    </>
  );
}
