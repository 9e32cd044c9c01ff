import { describe, expect, it } from '@jest/globals';
import { validate } from 'dockerfile-utils';
import { existsSync, readFileSync } from 'node:fs';
import { execFormOf, ignoring, stagesOf, type Stage } from '../../scripts/dockerfile.mjs';
import { commandProblem } from '../support/trunkline-command.js';

const dockerfile = readFileSync('Dockerfile', 'utf8');
const stages = stagesOf(dockerfile);
const image = stages.at(-1) as Stage;

const textsOf = (keyword: string): string[] =>
  image.instructions.filter((one) => one.keyword === keyword).map(({ text }) => text);

describe('the Dockerfile', () => {
  it('passes the linter', () => {
    expect(validate(dockerfile)).toEqual([]);
    expect(validate('FROM node\nUSERS 1000\n')).toHaveLength(1);
  });

  it('copies only existing files that .dockerignore includes', () => {
    const isIgnored = ignoring(readFileSync('.dockerignore', 'utf8'));
    const sources = stages.flatMap(({ instructions }) =>
      instructions
        .filter(({ keyword, flags }) => keyword === 'COPY' && flags.from === undefined)
        .flatMap(({ text }) => text.split(/\s+/).slice(0, -1)),
    );
    expect(sources.filter((source) => !existsSync(source) || isIgnored(source))).toEqual([]);
    expect(
      ['test', '.git', 'node_modules/pg/package.json', 'apps/api/src/x.spec.ts', 'bench/main.ts'].filter(
        (path) => !isIgnored(path),
      ),
    ).toEqual([]);
  });

  it('runs Node directly, as a numeric user other than root', () => {
    expect(textsOf('USER')).toEqual(['1000:1000']);
    expect(execFormOf(image, 'ENTRYPOINT')).toEqual(['node', 'bin/trunkline']);
    expect(execFormOf(image, 'HEALTHCHECK')?.[0]).toBe('node');
    expect(commandProblem(execFormOf(image, 'CMD') ?? [])).toBeUndefined();
    expect(stages.every((stage) => /^node:24-/.test(stage.image))).toBe(true);
  });
});
