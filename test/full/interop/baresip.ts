import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onFreePorts, start, type SipPeer } from './sip-peers.js';
import { freePort } from '../../support/free-port.js';

const HOST = '127.0.0.1';
const SAID = 'said.wav';
const SAID_S = 30;
/** A range without other peers and ephemeral ports: baresip responds with 500 when no port is free. */
const RTP_PORTS = '14000-15998';
const MODULES = ['g711', 'g722', 'aufile', 'aubridge', 'sndfile', 'srtp', 'account', 'menu', 'ctrl_tcp'];

export interface Baresip extends SipPeer {
  /** Presses a key of the phone. Resolves when the command was executed. */
  press(button: 'hold' | 'resume'): Promise<void>;
  /** The received audio as 16-bit samples, and their rate. After the stop. */
  heard(): Promise<{ pcm: Int16Array; rate: number }>;
}

/**
 * A phone (Debian package: baresip-core) that sends a tone (0 Hz: silence) and records received audio. It answers at once, or calls
 * `dials`.
 */
export const startBaresip = (o: Phone): Promise<Baresip> => onFreePorts(() => phone(o));

interface Phone {
  codec: 'PCMU' | 'PCMA' | 'G722';
  toneHz: number;
  /** Absent: plain RTP. `srtp` is optional, `srtp-mand` required. */
  encryption?: 'srtp' | 'srtp-mand';
  rtcpMux?: boolean;
  dials?: string;
}

async function phone(o: Phone): Promise<Baresip> {
  const [port, control] = [await freePort(), await freePort()];
  const folder = await mkdtemp(join(tmpdir(), 'trunkline-baresip-'));
  const codec = o.codec === 'G722' ? 'G722/16000/1' : `${o.codec}/8000/1`;
  const mediaenc = o.encryption === undefined ? '' : `;mediaenc=${o.encryption}`;
  const account = `<sip:+15550002@${HOST}>;regint=0;answermode=auto;audio_codecs=${codec}${mediaenc}`;
  await writeFile(join(folder, 'accounts'), `${account}\n`);
  await writeFile(join(folder, 'contacts'), '');
  await writeFile(join(folder, SAID), toneWav(o.toneHz, o.codec === 'G722' ? 16_000 : 8_000));
  await writeFile(join(folder, 'config'), configOf({ port, control, folder, rtcpMux: o.rtcpMux ?? false }));
  const args = ['-f', folder, ...(o.dials === undefined ? [] : ['-e', `/dial ${o.dials}`])];
  const peer = await start('baresip', args, { host: HOST, port, transport: 'udp' });
  const stop = async (): Promise<void> => {
    await peer.stop();
    await rm(folder, { recursive: true, force: true });
  };
  const heard = async () => {
    await peer.stop();
    const file = (await readdir(folder)).find((name) => name.endsWith('-dec.wav'));
    return file === undefined ? { pcm: new Int16Array(), rate: 8_000 } : samplesOf(await readFile(join(folder, file)));
  };
  return { ...peer, stop, heard, press: (button) => command(control, button) };
}

function configOf(o: { port: number; control: number; folder: string; rtcpMux: boolean }): string {
  return [
    `sip_listen ${HOST}:${o.port}`,
    `net_interface ${HOST}`,
    `audio_source aufile,${join(o.folder, SAID)}`,
    'audio_player aubridge,nobody',
    'audio_alert aubridge,nobody',
    'audio_channels 1-1',
    `rtp_ports ${RTP_PORTS}`,
    `rtcp_mux ${o.rtcpMux ? 'yes' : 'no'}`,
    `snd_path ${o.folder}`,
    `ctrl_tcp_listen ${HOST}:${o.control}`,
    'module_path /usr/lib/baresip/modules',
    ...MODULES.map((name) => `module ${name}.so`),
    '',
  ].join('\n');
}

/** Its remote control uses JSON in netstrings. */
async function command(port: number, name: string): Promise<void> {
  const socket = connect(port, HOST);
  const text = JSON.stringify({ command: name, token: name });
  socket.write(`${text.length}:${text},`);
  try {
    for await (const data of socket as AsyncIterable<Buffer>) {
      const told = data.toString();
      if (!told.includes('"response":true')) continue;
      if (told.includes('"ok":true')) return;
      throw new Error(`baresip did not ${name}: ${told}`);
    }
  } finally {
    socket.destroy();
  }
  throw new Error(`baresip went away at ${name}`);
}

/** The header of libsndfile: the rate at 24, the samples after the word `data` and a length. */
function samplesOf(wav: Buffer): { pcm: Int16Array; rate: number } {
  const start = wav.indexOf('data') + 8;
  const bytes = wav.subarray(start, wav.length - ((wav.length - start) % 2));
  return { pcm: new Int16Array(Uint8Array.from(bytes).buffer), rate: wav.readUInt32LE(24) };
}

/** Its file player supports only the rate of the codec. */
function toneWav(frequency: number, rate: number): Buffer {
  const pcm = Int16Array.from({ length: rate * SAID_S }, (_, i) =>
    Math.round(8_000 * Math.sin((2 * Math.PI * frequency * i) / rate)),
  );
  const header = Buffer.alloc(44);
  header.write('RIFF', 0);
  header.writeUInt32LE(36 + pcm.byteLength, 4);
  header.write('WAVEfmt ', 8);
  header.writeUInt32LE(16, 16);
  [1, 1].forEach((value, i) => header.writeUInt16LE(value, 20 + 2 * i)); // PCM, mono
  header.writeUInt32LE(rate, 24);
  header.writeUInt32LE(2 * rate, 28);
  [2, 16].forEach((value, i) => header.writeUInt16LE(value, 32 + 2 * i));
  header.write('data', 36);
  header.writeUInt32LE(pcm.byteLength, 40);
  return Buffer.concat([header, Buffer.from(pcm.buffer)]);
}
