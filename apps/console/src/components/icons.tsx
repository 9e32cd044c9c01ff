import type { VNode } from 'preact';

const PATHS = {
  phone:
    'M6.6 3.5 9 3l1.8 4.2-1.9 1.6a11 11 0 0 0 5.3 5.3l1.6-1.9L20 14l-.5 2.4A3 3 0 0 1 16.6 19C9.6 18.6 4.4 13.4 4 6.4A3 3 0 0 1 6.6 3.5Z',
  out: 'M7 17 17 7M9 7h8v8',
  in: 'M17 7 7 17M15 17H7V9',
  play: 'M8 5.5v13l10.5-6.5z',
  pause: 'M8 5v14M16 5v14',
  copy: 'M9 9h10v10H9zM15 9V5H5v10h4',
  check: 'm5 12.5 4.5 4.5L19 7.5',
  upload: 'M12 16V5M7.5 9 12 4.5 16.5 9M5 16v3h14v-3',
  search: 'M10.5 5a5.5 5.5 0 1 1 0 11 5.5 5.5 0 0 1 0-11ZM14.5 14.5 20 20',
  book: 'M5 5.5C8 4.500 10 5 12 6.500c2-1.500 4-2 7-1v12c-3-1-5-.5-7 1-2-1.500-4-2-7-1zM12 6.500v12',
  tool: 'M14.500 5.500a4 4 0 0 0-4 5.500l-6 6 2.500 2.500 6-6a4 4 0 0 0 5.500-4l-2.500 1.500-2-2z',
  sun: 'M12 8a4 4 0 1 1 0 8 4 4 0 0 1 0-8ZM12 3v1.500M12 19.500V21M3 12h1.500M19.500 12H21M5.600 5.600l1.100 1.100M17.300 17.300l1.100 1.100M5.600 18.400l1.100-1.100M17.300 6.700l1.100-1.100',
  leave: 'M14 5h5v14h-5M4 12h10M8 8l-4 4 4 4',
  replay: 'M5 12a7 7 0 1 1 2.200 5.100M5 17v-4.500h4.500',
  download: 'M12 4v11M7.500 11 12 15.500 16.500 11M5 16v3h14v-3',
  back: 'M14.500 5.500 8 12l6.500 6.500',
  keys: 'M6 6h.01M12 6h.01M18 6h.01M6 12h.01M12 12h.01M18 12h.01M6 18h.01M12 18h.01M18 18h.01',
  info: 'M12 4a8 8 0 1 1 0 16 8 8 0 0 1 0-16ZM12 11v5M12 8h.01',
  warn: 'M12 4.500 21 19.500H3zM12 10v4.500M12 17h.01',
  hang: 'M4 14c0-2 4-4 8-4s8 2 8 4v2l-4.500-1v-2.500a14 14 0 0 0-7 0V15L4 16z',
  agent: 'M12 4a4 4 0 1 1 0 8 4 4 0 0 1 0-8ZM4.500 20c.5-4 3.500-6 7.500-6s7 2 7.500 6',
  number: 'M9.500 4 7.500 20M16.500 4l-2 16M4.500 9h16M3.500 15h16',
  trunk: 'M4 5h16v6H4zM4 13h16v6H4zM7.500 8h.01M7.500 16h.01',
  webhook: 'M4 12h5l2-6 3 12 2-6h4',
  key: 'M8 10.500a4 4 0 1 1 0 8 4 4 0 0 1 0-8ZM11 11.500 20 3M16 7l2.500 2.500',
  log: 'M6 4h12v16H6zM9 8.500h6M9 12h6M9 15.500h4',
  campaign: 'M4 10v4h3l6 4.500v-13L7 10zM16.500 9a4 4 0 0 1 0 6M18.500 6.500a7.500 7.500 0 0 1 0 11',
  gauge: 'M4 17a8 8 0 1 1 16 0M12 17l4-5.500',
  chart: 'M4 4v16h16M8 15l3.500-4 3 2.500L20 7',
  menu: 'M4 7h16M4 12h16M4 17h16',
  mic: 'M12 4a2.500 2.500 0 0 1 2.500 2.500v5a2.500 2.500 0 0 1-5 0v-5A2.500 2.500 0 0 1 12 4ZM6.500 11.500a5.500 5.500 0 0 0 11 0M12 17v3M9 20h6',
  listen: 'M5 15v-3a7 7 0 0 1 14 0v3M5 15a2 2 0 0 1 2-1h1v5H7a2 2 0 0 1-2-2zM19 15a2 2 0 0 0-2-1h-1v5h1a2 2 0 0 0 2-2z',
  web: 'M4 5.500h16v13H4zM4 9.500h16M7 7.500h.01M9.500 7.500h.01',
  mute: 'M5 9.500v5h3.500L13 18.500v-13L8.500 9.500zM17 10l4 4M21 10l-4 4',
} as const;

export type IconName = keyof typeof PATHS;

/** Decorative: the adjacent text has the meaning. */
export const Icon = ({ name }: { name: IconName }): VNode => (
  <svg class={`icon icon-${name}`} viewBox="0 0 24 24" aria-hidden="true" focusable="false">
    <path d={PATHS[name]} />
  </svg>
);

/** The logo: a line with an extension. */
export const Mark = (): VNode => (
  <svg class="mark" viewBox="0 0 32 32" aria-hidden="true" focusable="false">
    <rect width={32} height={32} rx={8} />
    <path d="M6 12h20M16 12v12" />
    {[
      [6.5, 12],
      [25.5, 12],
      [16, 24],
    ].map(([x, y]) => (
      <circle key={x} cx={x} cy={y} r={2.5} />
    ))}
  </svg>
);
