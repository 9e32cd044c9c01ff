/** What an element's own `style` says about its text; style sheets are not read. */

const HIDING =
  /(?:^|[;\s])(?:display\s*:\s*none|visibility\s*:\s*(?:hidden|collapse)|mso-hide\s*:\s*all|(?:left|right|top|text-indent)\s*:\s*-\d{3,})/i;
const STRIKING = /(?:^|[;\s])text-decoration(?:-line)?\s*:[^;]{0,100}\bline-through\b/i;
const RAISING = /(?:^|[;\s])vertical-align\s*:\s*(?:super|text-top)\b/i;
const LOWERING = /(?:^|[;\s])vertical-align\s*:\s*sub\b/i;

export const isHidingStyle = (style: string): boolean => HIDING.test(style);

export const isStrikingStyle = (style: string): boolean => STRIKING.test(style);

export function shiftOfStyle(style: string): 'raised' | 'lowered' | undefined {
  if (RAISING.test(style)) return 'raised';
  return LOWERING.test(style) ? 'lowered' : undefined;
}
