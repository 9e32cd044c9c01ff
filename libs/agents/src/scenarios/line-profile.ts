import { z } from 'zod';

/** Sounds of a place. */
export const NOISE_NAMES = ['white', 'babble', 'music', 'keyboard', 'hold music', 'traffic'] as const;
export type NoiseName = (typeof NOISE_NAMES)[number];

const CODECS = ['PCMU', 'PCMA', 'G722'] as const;

const noise = z.strictObject({
  kind: z.enum(NOISE_NAMES).describe('Sound of the place.'),
  snr_db: z.number().min(-10).max(60).describe('Level of the speech above the noise, in dB.'),
});
const loss = z.strictObject({
  share: z.number().min(0).max(0.5).describe('Share of the packets that are lost, in both directions.'),
  burst: z.number().min(1).max(50).default(1).describe('Mean number of packets that are lost together; 1: each alone.'),
});
const echo = z.strictObject({
  delay_ms: z.int().min(20).max(1_000).describe('Delay of the echo.'),
  db: z.number().min(-60).max(0).describe("Level of the echo against the agent's voice, in dB."),
});

const fields = {
  codec: z.enum(CODECS).describe('Codec on the wire.'),
  noise: noise.nullable(),
  loss: loss.nullable(),
  jitter_ms: z.number().min(0).max(500).describe('Packets are delayed by up to this time, and overtake each other.'),
  delay_ms: z.number().min(0).max(1_000).describe('Delay of all packets, in each direction.'),
  volume_db: z.number().min(-40).max(6).describe('Level of the caller, in dB.'),
  echo: echo.nullable().describe("The agent's own voice comes back, as from a loudspeaker."),
  speaking_rate: z.number().min(0.6).max(1.8).describe('Speed of the speech; the pitch changes with it.'),
  voice: z
    .enum(['built_in', 'program'])
    .describe(
      '`built_in`: the same on every machine. `program`: the first installed one of piper, espeak-ng and flite.',
    ),
  carries_words: z
    .boolean()
    .describe('The words travel as tones beside the speech, for the recognisers of the sandbox. Real ones need none.'),
  reply_ms: z.number().min(0).max(5_000).describe("Pause between the agent's last word and the caller's first."),
};

/** A telephone line without faults, and a caller in a quiet room. */
const CLEAN = {
  codec: 'PCMU',
  noise: null,
  loss: null,
  jitter_ms: 0,
  delay_ms: 0,
  volume_db: 0,
  echo: null,
  speaking_rate: 1,
  voice: 'built_in',
  carries_words: true,
  reply_ms: 200,
} as const satisfies z.output<z.ZodObject<typeof fields>>;

/** How the tester caller's line and voice differ from a clean line; docs/tester-calls.md lists the values. */
const PROFILES = {
  clean: {},
  wideband: { codec: 'G722' },
  office: { noise: { kind: 'babble', snr_db: 20 } },
  cafe: { noise: { kind: 'babble', snr_db: 12 } },
  street: { noise: { kind: 'traffic', snr_db: 12 } },
  music: { noise: { kind: 'music', snr_db: 15 } },
  white_noise: { noise: { kind: 'white', snr_db: 15 } },
  typing: { noise: { kind: 'keyboard', snr_db: 15 } },
  mobile: { noise: { kind: 'traffic', snr_db: 20 }, loss: { share: 0.02, burst: 2 }, jitter_ms: 30, delay_ms: 60 },
  lossy: { loss: { share: 0.05, burst: 1 }, jitter_ms: 20 },
  bad_network: { loss: { share: 0.1, burst: 4 }, jitter_ms: 60, delay_ms: 100 },
  far_away: { delay_ms: 300 },
  speakerphone: { noise: { kind: 'babble', snr_db: 25 }, echo: { delay_ms: 120, db: -25 }, volume_db: -6 },
  quiet_voice: { volume_db: -18 },
  fast_talker: { speaking_rate: 1.3, reply_ms: 50 },
  slow_talker: { speaking_rate: 0.8, reply_ms: 800 },
} as const satisfies Record<string, Partial<z.input<z.ZodObject<typeof fields>>>>;

type ProfileName = keyof typeof PROFILES;
const NAMES = Object.keys(PROFILES) as [ProfileName, ...ProfileName[]];

const own = z
  .strictObject({ ...fields, like: z.enum(NAMES).describe('Profile whose values apply to absent fields.') })
  .partial()
  .transform(({ like = 'clean', ...values }): LineProfile => ({ ...profileOf(like), ...values, name: 'custom' }));

const profileOf = (name: ProfileName): LineProfile => ({ ...CLEAN, ...PROFILES[name], name });

/** `street`, or values of its own: `{ like: street, loss: { share: 0.1 } }`. */
export const lineProfile = z
  .union([z.enum(NAMES).transform(profileOf), own])
  .meta({ id: 'ScenarioLineProfile', description: 'Name of a profile of line and voice, or values of its own.' });

export interface LineProfile extends z.output<z.ZodObject<typeof fields>> {
  name: ProfileName | 'custom';
}

export const CLEAN_LINE: LineProfile = profileOf('clean');
