/** ARPAbet names. */
export type PhonemeName = keyof typeof PHONEMES;

/** The state of the vocal tract during some time. Amplitudes 0 to 1, frequencies in Hz. */
export interface Posture {
  ms: number;
  formants: readonly [number, number, number];
  voicing: number;
  aspiration: number;
  frication: number;
  /** Centre and bandwidth of the friction noise. */
  noise: readonly [number, number];
}

interface Phoneme {
  vowel: boolean;
  postures: Posture[];
}

type Formants = readonly [number, number, number];

/** Formants after Peterson and Barney (1952), adult men; bandwidths are the filter's. */
const IY: Formants = [280, 2250, 2950];
const IH: Formants = [400, 1950, 2550];
const EH: Formants = [540, 1820, 2480];
const AE: Formants = [670, 1700, 2410];
const AA: Formants = [730, 1100, 2440];
const AO: Formants = [580, 860, 2410];
const UH: Formants = [450, 1050, 2240];
const UW: Formants = [310, 900, 2240];
const AH: Formants = [640, 1200, 2390];
const ER: Formants = [480, 1320, 1680];
const AX: Formants = [500, 1400, 2400];

/** The target of the second formant while the lips, the tongue's tip or its back close the mouth. */
const LABIAL: Formants = [280, 850, 2150];
const ALVEOLAR: Formants = [280, 1700, 2600];
const VELAR: Formants = [280, 1950, 2350];
const PALATAL: Formants = [300, 1900, 2600];

const posture = (ms: number, formants: Formants, sound: Partial<Posture>): Posture => ({
  ms,
  formants,
  voicing: 0,
  aspiration: 0,
  frication: 0,
  noise: [2500, 1000],
  ...sound,
});

const vowel = (ms: number, ...targets: Formants[]): Phoneme => ({
  vowel: true,
  postures: targets.map((formants) => posture(ms / targets.length, formants, { voicing: 1 })),
});

const sonorant = (ms: number, formants: Formants, voicing: number): Phoneme => ({
  vowel: false,
  postures: [posture(ms, formants, { voicing })],
});

const fricative = (
  ms: number,
  formants: Formants,
  noise: [number, number],
  frication: number,
  voicing = 0,
): Phoneme => ({
  vowel: false,
  postures: [posture(ms, formants, { frication, noise, voicing })],
});

/** Closure, burst, and the breath that follows a voiceless one. */
const stop = (formants: Formants, noise: [number, number], burst: number, voiced: boolean): Phoneme => ({
  vowel: false,
  postures: [
    posture(voiced ? 50 : 60, formants, { voicing: voiced ? 0.2 : 0 }),
    posture(voiced ? 8 : 14, formants, { frication: burst, noise, voicing: voiced ? 0.3 : 0 }),
    ...(voiced ? [] : [posture(25, formants, { aspiration: 0.35 })]),
  ],
});

const affricate = (voiced: boolean): Phoneme => ({
  vowel: false,
  postures: [
    posture(45, ALVEOLAR, { voicing: voiced ? 0.2 : 0 }),
    posture(voiced ? 55 : 80, PALATAL, { frication: 0.5, noise: [2500, 700], voicing: voiced ? 0.3 : 0 }),
  ],
});

export const PHONEMES = {
  IY: vowel(120, IY),
  IH: vowel(85, IH),
  EH: vowel(100, EH),
  AE: vowel(130, AE),
  AA: vowel(130, AA),
  AO: vowel(130, AO),
  UH: vowel(90, UH),
  UW: vowel(120, UW),
  AH: vowel(95, AH),
  ER: vowel(120, ER),
  AX: vowel(60, AX),
  EY: vowel(150, [480, 1850, 2500], [330, 2200, 2800]),
  AY: vowel(170, [720, 1200, 2450], [400, 1950, 2550]),
  OY: vowel(180, [560, 850, 2400], [400, 1900, 2500]),
  OW: vowel(150, [540, 950, 2400], [380, 820, 2250]),
  AW: vowel(170, [720, 1250, 2450], [430, 930, 2300]),
  W: sonorant(60, [290, 650, 2150], 0.6),
  Y: sonorant(55, [270, 2150, 2950], 0.6),
  L: sonorant(65, [350, 1050, 2800], 0.65),
  R: sonorant(65, [330, 1100, 1450], 0.65),
  M: sonorant(70, [260, 1100, 2150], 0.4),
  N: sonorant(65, [260, 1500, 2450], 0.4),
  NG: sonorant(75, [260, 2000, 2550], 0.4),
  F: fricative(95, LABIAL, [1600, 2600], 0.25),
  V: fricative(60, LABIAL, [1600, 2600], 0.06, 0.45),
  TH: fricative(90, [320, 1300, 2500], [2600, 2200], 0.2),
  DH: fricative(50, [320, 1300, 2500], [2600, 2200], 0.05, 0.5),
  S: fricative(105, ALVEOLAR, [3600, 700], 0.3),
  Z: fricative(75, ALVEOLAR, [3600, 700], 0.16, 0.35),
  SH: fricative(110, PALATAL, [2500, 700], 0.4),
  ZH: fricative(75, PALATAL, [2500, 700], 0.28, 0.35),
  HH: { vowel: false, postures: [posture(60, AX, { aspiration: 0.4 })] },
  P: stop(LABIAL, [900, 1500], 0.5, false),
  B: stop(LABIAL, [900, 1500], 0.35, true),
  T: stop(ALVEOLAR, [3400, 1200], 1, false),
  D: stop(ALVEOLAR, [3400, 1200], 0.7, true),
  K: stop(VELAR, [1900, 700], 1, false),
  G: stop(VELAR, [1900, 700], 0.7, true),
  CH: affricate(false),
  JH: affricate(true),
} satisfies Record<string, Phoneme>;

/** Rests the voice. */
export const silence = (ms: number): Posture => posture(ms, AX, {});
