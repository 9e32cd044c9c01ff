/** @jest-config-loader esbuild-register */
import type { Config } from 'jest';

const shared = {
  rootDir: '.',
  extensionsToTreatAsEsm: ['.ts'],
  moduleNameMapper: {
    '^@app/([^/]+)$': '<rootDir>/libs/$1/src/index.ts',
    '^@app/([^/]+)/([^/]+)$': '<rootDir>/libs/$1/src/$2/index.ts',
    '^(\\.{1,2}/.*)\\.js$': '$1',
  },
  // The class-field and decorator semantics are those of tsconfig.json; swc only strips the types.
  transform: {
    '^.+\\.ts$': [
      '@swc/jest',
      {
        module: { type: 'es6' },
        sourceMaps: 'inline',
        jsc: {
          target: 'es2022',
          keepClassNames: true,
          parser: { syntax: 'typescript', decorators: true },
          transform: { legacyDecorator: true, decoratorMetadata: true, useDefineForClassFields: false },
        },
      },
    ] as [string, Record<string, unknown>],
  },
  modulePathIgnorePatterns: ['<rootDir>/dist', '<rootDir>/.trunkline', '<rootDir>/demo-output'],
};

/** These hear beeps, music and words of calls between processes in real time: no more than two at a time. */
const REAL_TIME = [
  '<rootDir>/test/full/calls/answering-machines.e2e-spec.ts',
  '<rootDir>/test/full/interop/warm-transfers.e2e-spec.ts',
  '<rootDir>/test/full/simulation/tester-calls.e2e-spec.ts',
  '<rootDir>/test/full/telephony/inbound-front.e2e-spec.ts',
];
/** These need the whole machine: thousands of calls, whose processes would starve those of another test, and calls that are cut to the moment. */
const ALONE = [
  '<rootDir>/test/full/operations/soak.e2e-spec.ts',
  '<rootDir>/test/full/operations/thousand-calls.e2e-spec.ts',
  '<rootDir>/test/full/simulation/outside-agents.e2e-spec.ts',
  '<rootDir>/libs/simulation/src/tester/audio-line.long.spec.ts',
  '<rootDir>/libs/voice/src/provider-link/real-cuts.long.spec.ts',
];
/** Not beside the others. */
const APART = [...REAL_TIME, ...ALONE];

const withDatabase = {
  globalSetup: '<rootDir>/test/support/global-setup.ts',
  globalTeardown: '<rootDir>/test/support/global-teardown.ts',
};

const config: Config = {
  // Bounds a test that hangs. Beside busy neighbours one takes several times as long as alone.
  testTimeout: 180_000,
  // A worker without open handles still needs half a second per GB of heap to exit; the default of 500 ms reports that as a leak.
  workerGracefulExitTimeout: 15_000,
  projects: [
    // Beside the code.
    {
      ...shared,
      displayName: 'unit',
      testMatch: ['<rootDir>/{apps,libs}/**/*.spec.ts'],
      testPathIgnorePatterns: ['\\.(long|database)\\.spec\\.ts$'],
    },
    // Beside the code as well: tests that compute or hear audio for long.
    {
      ...shared,
      displayName: 'long',
      testMatch: ['<rootDir>/{apps,libs}/**/*.long.spec.ts'],
      testPathIgnorePatterns: APART,
    },
    // Beside the code as well: tests of modules with PostgreSQL, races and kills.
    {
      ...shared,
      ...withDatabase,
      displayName: 'database',
      testMatch: ['<rootDir>/{apps,libs}/**/*.database.spec.ts'],
      testPathIgnorePatterns: APART,
    },
    // Stories of the features, against one running service.
    {
      ...shared,
      displayName: 'e2e',
      testMatch: ['<rootDir>/test/!(full)/**/*.e2e-spec.ts'],
      globalSetup: '<rootDir>/test/support/stories-setup.ts',
      globalTeardown: '<rootDir>/test/support/stories-teardown.ts',
    },
    // Architecture, documentation, deployment files.
    { ...shared, displayName: 'rules', testMatch: ['<rootDir>/test/rules/*.spec.ts'] },
    // Peers from Debian, kills, other settings, older data.
    {
      ...shared,
      ...withDatabase,
      displayName: 'full',
      testMatch: ['<rootDir>/test/full/**/*.e2e-spec.ts'],
      testPathIgnorePatterns: APART,
    },
    { ...shared, ...withDatabase, displayName: 'real-time', testMatch: REAL_TIME },
    { ...shared, ...withDatabase, displayName: 'alone', testMatch: ALONE },
  ],
};

export default config;
