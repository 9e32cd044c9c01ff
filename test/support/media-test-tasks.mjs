/** Audio tasks for tests, for this thread and for worker threads. Each ends at the message `stop` or with its audio. */
const FRAME = Buffer.alloc(160, 0x33);
const isSilent = (frame) => frame.every((byte) => (byte & 0x7f) >= 0x7e || byte === 0x55 || byte === 0xd5);

const untilStopped = (channel, onMessage = () => undefined) =>
  new Promise((resolve) => {
    channel.over.addEventListener('abort', () => resolve('over'));
    channel.onMessage((message) => (message === 'stop' ? resolve('stopped') : onMessage(message)));
  });

/** Sends audio without pauses, counts received frames, and reports the count at the message `report`. */
async function talk(media, init, channel) {
  const counts = { heard: 0, keys: '' };
  let talking = true;
  const next = (played) => {
    if (played && talking) media.write(FRAME, next);
  };
  media.write(FRAME);
  next(true);
  const stopFrames = media.onFrame((frame) => {
    if (!isSilent(frame) && ++counts.heard === init.tellAt) channel.post('heard enough');
  });
  const stopKeys = media.onDtmf((digit) => {
    counts.keys += digit;
    channel.post({ key: digit });
  });
  await untilStopped(channel, () => channel.post({ ...counts }));
  talking = false;
  stopFrames();
  stopKeys();
  return counts;
}

/** Only receives. */
async function listen(media, init, channel) {
  let heard = 0;
  media.onFrame((frame) => {
    if (!isSilent(frame) && ++heard === init.tellAt) channel.post('heard enough');
  });
  await untilStopped(channel, () => channel.post({ heard }));
  return { heard };
}

/** Echoes messages until it is stopped. */
async function parrot(media, init, channel) {
  channel.post(init);
  return untilStopped(channel, (message) => channel.post(message));
}

/** An uncaught exception: the whole thread dies. */
function crash() {
  setImmediate(() => {
    throw new Error('a fault of a test');
  });
  return new Promise(() => undefined);
}

/** Blocks the thread for ever. */
function hang() {
  for (;;);
}

/** A failure of the task alone. */
async function fail() {
  throw new TypeError('a task that fails');
}

/** @type {import('@app/telephony').TaskKinds} */
export const tasks = { talk, listen, parrot, crash, hang, fail };
