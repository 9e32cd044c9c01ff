import { describe, expect, it } from '@jest/globals';
import { estimateMos } from './rtp-stats.js';

describe('MOS', () => {
  // R = 93.2 - Id - Ie-eff, and the score of G.107 annex B, worked out by hand.
  it.each([
    [0, 0, 0, 4.4],
    [0, 5, 40, 4.38],
    [0.01, 0, 0, 3.81],
    [0.03, 10, 100, 2.64],
    [0.05, 20, 200, 1.95],
    [0.2, 30, 300, 1],
    [0, 0, 700, 3.26],
    [1, 0, 0, 1],
  ])('with %f lost, %i ms jitter and %i ms round trip is %f', (lossRate, jitterMs, rttMs, mos) => {
    expect(estimateMos({ lossRate, jitterMs, rttMs, codec: 'PCMU' })).toBeCloseTo(mos, 1);
  });

  it('treats an unknown round trip as zero, and G.722 as heard at 8 kHz', () => {
    const line = { lossRate: 0.02, jitterMs: 3 };
    expect(estimateMos({ ...line, codec: 'PCMA' })).toBe(estimateMos({ ...line, rttMs: 0, codec: 'PCMU' }));
    expect(estimateMos({ ...line, codec: 'G722' })).toBeCloseTo(estimateMos({ ...line, codec: 'PCMU' }), 1);
  });
});
