import { useSignal } from '@preact/signals';
import type { VNode } from 'preact';
import { useEffect, useLayoutEffect, useRef } from 'preact/hooks';
import uPlot from 'uplot';
import type { Line } from '../logic/analytics.js';

const HEIGHT_PX = 180;
const SECONDS_OF_DAY = 86_400;
/** With more intervals, points would cover the line. */
const MAX_POINTS = 40;

interface ChartParts {
  title: string;
  /** ISO 8601, in order. */
  times: readonly string[];
  lines: readonly Line[];
  zone: string;
  nameOf: (time: string) => string;
  format: (value: number | null) => string;
}

/** Lines over time with a legend, and the same values as a table. The picture is hidden from screen readers, which read the table. */
export function TimeChart({ title, times, lines, zone, nameOf, format }: ChartParts): VNode {
  const place = useRef<HTMLDivElement>(null);
  const legend = useRef<HTMLUListElement>(null);
  const pointed = useSignal<number | undefined>(undefined);
  useLayoutEffect(() => {
    const { current } = place;
    if (!current) return undefined;
    const colourOf = (index: number): string => colourIn(legend.current?.children[index]?.firstElementChild);
    const inks = {
      text: () => colourIn(current),
      line: () => colourIn(current.parentElement?.querySelector('.grid-ink')),
    };
    const onPoint = (index: number | undefined): void => void (pointed.value = index);
    const options = optionsOf({ lines, zone, format, colourOf, inks, onPoint, count: times.length });
    const plot = new uPlot({ ...options, width: current.clientWidth }, dataOf(times, lines), current);
    const sized = new ResizeObserver(() => plot.setSize({ width: current.clientWidth, height: HEIGHT_PX }));
    sized.observe(current);
    const unthemed = onTheme(() => plot.redraw(false, true));
    return () => {
      unthemed();
      sized.disconnect();
      plot.destroy();
    };
  }, [times, lines]);
  const { value: at } = pointed;
  const time = at === undefined ? undefined : times[at];
  return (
    <>
      <ul ref={legend} class="legend" aria-hidden="true">
        {lines.map(({ name, values }, index) => (
          <li key={index}>
            <span class={`swatch tone-${index}`} />
            {name}
            {at !== undefined && <strong>{format(values[at] ?? null)}</strong>}
          </li>
        ))}
        <li class="pointed muted">{time === undefined ? '' : nameOf(time)}</li>
      </ul>
      <div class="plot" aria-hidden="true">
        <span class="grid-ink" />
        <div ref={place} class="plot-place" />
      </div>
      <Values title={title} times={times} lines={lines} nameOf={nameOf} format={format} />
    </>
  );
}

const Values = ({ title, times, lines, nameOf, format }: Omit<ChartParts, 'zone'>): VNode => {
  const isOpen = useSignal(false);
  useEffect(() => void (isOpen.value = false), [title]);
  return (
    <details class="values-of" onToggle={(event) => (isOpen.value = event.currentTarget.open)}>
      <summary>Show as table</summary>
      {isOpen.value && (
        <div class="table-place" tabIndex={0} role="region" aria-label={`Values: ${title}`}>
          <table>
            <caption class="unseen">{title}</caption>
            <thead>
              <tr>
                <th scope="col">Time</th>
                {lines.map(({ name }) => (
                  <th key={name} scope="col">
                    {name}
                  </th>
                ))}
              </tr>
            </thead>
            <tbody>
              {times.map((time, index) => (
                <tr key={time}>
                  <th scope="row">{nameOf(time)}</th>
                  {lines.map(({ name, values }) => (
                    <td key={name}>{format(values[index] ?? null)}</td>
                  ))}
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      )}
    </details>
  );
};

const dataOf = (times: readonly string[], lines: readonly Line[]): uPlot.AlignedData => [
  times.map((time) => Date.parse(time) / 1_000),
  ...lines.map(({ values }) => values),
];

interface OptionParts {
  lines: readonly Line[];
  zone: string;
  format: (value: number | null) => string;
  colourOf: (index: number) => string;
  inks: { text: () => string; line: () => string };
  onPoint: (index: number | undefined) => void;
  count: number;
}

function optionsOf({ lines, zone, format, colourOf, inks, onPoint, count }: OptionParts): Omit<uPlot.Options, 'width'> {
  const axis = {
    stroke: inks.text,
    grid: { stroke: inks.line, width: 1 },
    ticks: { show: false },
    font: '12px sans-serif',
  };
  return {
    height: HEIGHT_PX,
    tzDate: (seconds) => uPlot.tzDate(new Date(seconds * 1_000), zone),
    legend: { show: false },
    cursor: { y: false, drag: { x: false, y: false } },
    scales: { y: { range: (_plot, _low, high) => [0, high > 0 ? high * 1.08 : 1] } },
    axes: [
      { ...axis, gap: 8, values: (_plot, splits, _axis, _space, step) => splits.map(timeNames(zone, step)) },
      { ...axis, size: 64, values: (_plot, splits) => splits.map((value) => format(value)) },
    ],
    series: [
      {},
      ...lines.map((_line, index) => ({
        stroke: () => colourOf(index),
        width: 2,
        points: { show: count <= MAX_POINTS, size: 5, fill: () => colourOf(index) },
      })),
    ],
    hooks: { setCursor: [({ cursor }) => onPoint(cursor.idx ?? undefined)] },
  };
}

/** Names of times on an axis with steps of `step` seconds: days, and hours between them. */
function timeNames(zone: string, step: number): (seconds: number) => string {
  const day = new Intl.DateTimeFormat('en-GB', { timeZone: zone, day: 'numeric', month: 'short' });
  const hour = new Intl.DateTimeFormat('en-GB', { timeZone: zone, hour: '2-digit', minute: '2-digit' });
  return (seconds) => {
    const time = hour.format(seconds * 1_000);
    return step >= SECONDS_OF_DAY || time === '00:00' ? day.format(seconds * 1_000) : time;
  };
}

/** The colour of an element, as a canvas understands it: variables of the style sheet depend on the theme. */
const colourIn = (element: Element | null | undefined): string => (element ? getComputedStyle(element).color : 'gray');

const DARK = matchMedia('(prefers-color-scheme: dark)');

/** Calls `redraw` when the theme changes. The returned function ends that. */
function onTheme(redraw: () => void): () => void {
  const chosen = new MutationObserver(redraw);
  chosen.observe(document.documentElement, { attributeFilter: ['data-theme'] });
  DARK.addEventListener('change', redraw);
  return () => {
    chosen.disconnect();
    DARK.removeEventListener('change', redraw);
  };
}
