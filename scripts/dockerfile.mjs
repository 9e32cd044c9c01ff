/** Parses the subset of the Dockerfile format that linting and running the Dockerfile without Docker need. */

/**
 * @typedef {{ keyword: string; flags: Record<string, string>; text: string }} Instruction
 *
 * @typedef {{ name: string; image: string; instructions: Instruction[] }} Stage
 */

/**
 * The stages in order, lines with a backslash joined.
 *
 * @param {string} dockerfile
 * @returns {Stage[]}
 */
export function stagesOf(dockerfile) {
  const stages = [];
  for (const { keyword, text } of instructionsOf(dockerfile)) {
    if (keyword === 'FROM') {
      const [, image, name] = /^(\S+)(?:\s+AS\s+(\S+))?$/i.exec(text) ?? [];
      stages.push({ name: name ?? 'final', image, instructions: [] });
    } else stages.at(-1).instructions.push({ keyword, ...flagsOf(text) });
  }
  return stages;
}

function instructionsOf(dockerfile) {
  const lines = dockerfile
    .replace(/^\s*#.*\n/gm, '')
    .replace(/\\\n\s*/g, ' ')
    .split('\n');
  return lines
    .filter((line) => line.trim() !== '')
    .map((line) => {
      const [, keyword, text] = /^(\w+)\s+(.*)$/.exec(line.trim()) ?? [];
      return { keyword: keyword.toUpperCase(), text };
    });
}

/** `--from=build /app/dist ./dist`: the flags, and the rest. */
function flagsOf(text) {
  const flags = {};
  let rest = text;
  for (let match; (match = /^--([\w-]+)=(\S+)\s+/.exec(rest)); rest = rest.slice(match[0].length))
    flags[match[1]] = match[2];
  return { flags, text: rest };
}

/**
 * The environment of a stage: `ENV A=b C=d`.
 *
 * @param {Stage} stage
 * @returns {Record<string, string>}
 */
export function environmentOf(stage) {
  const pairs = stage.instructions
    .filter(({ keyword }) => keyword === 'ENV')
    .flatMap(({ text }) => [...text.matchAll(/(\w+)=("[^"]*"|\S+)/g)])
    .map(([, name, value]) => [name, value.replace(/^"|"$/g, '')]);
  return Object.fromEntries(pairs);
}

/**
 * The array of the last ENTRYPOINT, CMD or HEALTHCHECK, all of them in exec form.
 *
 * @param {Stage} stage
 * @param {string} keyword
 * @returns {string[] | undefined}
 */
export function execFormOf(stage, keyword) {
  const { text } = stage.instructions.findLast((one) => one.keyword === keyword) ?? {};
  const array = text?.slice(text.indexOf('['));
  return array === undefined ? undefined : JSON.parse(array);
}

/**
 * Whether .dockerignore excludes a path. The last matching line decides, as in Docker.
 *
 * @param {string} dockerignore
 * @returns {(path: string) => boolean}
 */
export function ignoring(dockerignore) {
  const rules = dockerignore
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '' && !line.startsWith('#'))
    .map((line) => ({ keeps: line.startsWith('!'), pattern: patternOf(line.replace(/^!/, '')) }));
  return (path) => !(rules.findLast(({ pattern }) => pattern.test(path))?.keeps ?? true);
}

/** A pattern also matches everything below the path that it names. */
function patternOf(glob) {
  const source = glob
    .replace(/[.+^${}()|[\]\\]/g, '\\$&')
    .replace(/\*\*\//g, '\0')
    .replace(/\*/g, '[^/]*')
    .replace(/\0/g, '(?:.*/)?');
  return new RegExp(`^${source}(?:/.*)?$`);
}
