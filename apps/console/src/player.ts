import { isAbort } from './api.js';
import { fill, h, newId } from './dom.js';
import { clock } from './format.js';
import { option } from './forms.js';
import { icon } from './icons.js';

const SPEEDS = [1, 1.25, 1.5, 2];

interface PlayerParts {
  onTime: (seconds: number) => void;
  /** Returns a fresh link; links expire after an hour. */
  renew: () => Promise<string | null>;
}

/** Plays the recording: the user is on the left channel, the agent on the right. */
export class Player {
  readonly audio = h('audio', { preload: 'metadata', 'data-role': 'recording' });
  private readonly button = h('button', { type: 'button', class: 'primary round' });
  private readonly seekBar = h('input', {
    type: 'range',
    min: 0,
    max: 0,
    step: 0.1,
    value: 0,
    'aria-label': 'Position in the recording',
  });
  private readonly time = h('span', { class: 'clock' });
  private readonly trouble = h('p', { class: 'hint', role: 'status' });
  readonly node: HTMLElement;
  private source = '';
  private renewed = false;
  private readonly download = h('a', { class: 'quiet button', download: '' }, icon('download'), h('span', null, 'WAV'));

  constructor(private readonly parts: PlayerParts) {
    const speed = h(
      'select',
      { id: newId('speed'), 'aria-label': 'Speed' },
      SPEEDS.map((one) => option(one, `${one}×`)),
    );
    speed.addEventListener('change', () => void (this.audio.playbackRate = Number(speed.value)));
    this.button.addEventListener('click', () => this.toggle());
    this.seekBar.addEventListener('input', () => this.seek(Number(this.seekBar.value)));
    for (const event of ['timeupdate', 'loadedmetadata', 'play', 'pause', 'ended', 'seeked'])
      this.audio.addEventListener(event, () => this.show());
    this.audio.addEventListener('error', () => void this.broken());
    this.node = h(
      'div',
      { class: 'player', role: 'group', 'aria-label': 'Recording' },
      this.button,
      this.seekBar,
      this.time,
      speed,
      this.download,
      this.audio,
      this.trouble,
    );
    this.draw();
  }

  /** Loads the recording from the origin of this page, whatever host the service puts into its links. */
  load(url: string): void {
    const { pathname, search } = new URL(url);
    const path = `../${pathname.slice(pathname.indexOf('api/v1/'))}${search}`;
    if (this.source.split('?')[0] === path.split('?')[0]) return;
    this.source = path;
    this.audio.src = path;
    this.download.setAttribute('href', path);
  }

  get isPlaying(): boolean {
    return !this.audio.paused && !this.audio.ended;
  }

  seek(seconds: number): void {
    this.audio.currentTime = seconds;
    this.show();
  }

  playFrom(seconds: number): void {
    this.seek(seconds);
    this.play();
  }

  private toggle(): void {
    if (this.isPlaying) this.audio.pause();
    else this.play();
  }

  private play(): void {
    this.audio.play().catch((error: unknown) => {
      // Paused before playback began.
      if (!isAbort(error)) fill(this.trouble, 'The browser cannot play the recording.');
    });
  }

  private show(): void {
    this.draw();
    this.parts.onTime(this.audio.currentTime);
  }

  private draw(): void {
    const { currentTime, duration } = this.audio;
    const length = Number.isFinite(duration) ? duration : 0;
    this.seekBar.max = String(length);
    this.seekBar.value = String(currentTime);
    this.seekBar.setAttribute('aria-valuetext', `${clock(currentTime)} of ${clock(length)}`);
    fill(this.time, `${clock(currentTime)} / ${clock(length)}`);
    fill(this.button, icon(this.isPlaying ? 'pause' : 'play'));
    this.button.setAttribute('aria-label', this.isPlaying ? 'Pause' : 'Play');
  }

  private async broken(): Promise<void> {
    const url = this.renewed ? null : await this.parts.renew().catch(() => null);
    this.renewed = true;
    this.source = '';
    if (url === null) fill(this.trouble, 'The recording cannot be loaded.');
    else this.load(url);
  }
}
