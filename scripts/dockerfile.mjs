import { DockerfileParser } from 'dockerfile-ast';

/**
 * @typedef {{ keyword: string; flags: Record<string, string>; text: string }} Instruction
 *
 * @typedef {{ name: string; image: string; environment: Record<string, string>; instructions: Instruction[] }} Stage
 */

/**
 * The stages in order.
 *
 * @param {string} dockerfile
 * @returns {Stage[]}
 */
export function stagesOf(dockerfile) {
  const stages = [];
  for (const instruction of DockerfileParser.parse(dockerfile).getInstructions()) {
    const keyword = instruction.getKeyword();
    const stage = stages.at(-1);
    if (keyword === 'FROM') {
      const name = instruction.getBuildStage() ?? 'final';
      stages.push({ name, image: instruction.getImage(), environment: {}, instructions: [] });
    } else if (keyword === 'ENV') {
      for (const property of instruction.getProperties()) stage.environment[property.getName()] = property.getValue();
    } else stage.instructions.push({ keyword, ...partsOf(instruction) });
  }
  return stages;
}

function partsOf(instruction) {
  const flags = instruction.getFlags?.() ?? [];
  return {
    flags: Object.fromEntries(flags.map((flag) => [flag.getName(), flag.getValue()])),
    text: instruction.getArgumentsContent() ?? '',
  };
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
  // The package drops spaces inside the strings of an array.
  return text === undefined ? undefined : JSON.parse(text.slice(text.indexOf('[')));
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
