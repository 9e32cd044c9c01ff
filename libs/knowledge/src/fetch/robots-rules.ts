import robotsParser from 'robots-parser';

/** RFC 9309 §2.5 asks for 500 KiB at least. */
export const ROBOTS_BYTES = 512 * 1024;
const LINES = 20_000;
/** A pattern with `*` is tried at every place of the path: 10,000 such characters on 2,048 of a path cost 20 ms at most. */
const WILDCARD_CHARACTERS = 10_000;

// Its types describe an ES module, its code is a CommonJS function.
const parse = robotsParser as unknown as (typeof robotsParser)['default'];

export type RobotsRules = (url: URL) => boolean;

export const allowAll: RobotsRules = () => true;

/** The rules of a robots.txt for us. What exceeds the limits is left out: nobody's file may hold up the process. */
export function robotsRules(robotsUrl: URL, text: string, agent: string): RobotsRules {
  const robots = parse(robotsUrl.href, bounded(text));
  return (url) => robots.isAllowed(url.href, agent) ?? true;
}

function bounded(text: string): string {
  let wildcards = 0;
  const kept = text.split(/\r\n|\r|\n/, LINES).filter((line) => {
    if (line.includes('*')) wildcards += line.length;
    return !line.includes('*') || wildcards <= WILDCARD_CHARACTERS;
  });
  return kept.join('\n');
}
