import { crc32, deflateRawSync } from 'node:zlib';

export interface ZipPart {
  name: string;
  content: string | Buffer;
  /** A false value for the directory. */
  declaredSize?: number;
  isEncrypted?: boolean;
}

/** A ZIP file (APPNOTE 4.3), optionally with false sizes. */
export function zipFile(parts: ZipPart[]): Buffer {
  const bodies: Buffer[] = [];
  const directory: Buffer[] = [];
  let offset = 0;
  for (const part of parts) {
    const fields = fieldsOf(part);
    const local = Buffer.concat([Buffer.from('PK\x03\x04'), fields.common, fields.name, fields.data]);
    const tail = Buffer.alloc(14);
    tail.writeUInt32LE(offset, 10);
    directory.push(Buffer.from('PK\x01\x02\x14\x00'), fields.common, tail, fields.name);
    bodies.push(local);
    offset += local.length;
  }
  return Buffer.concat([...bodies, ...directory, endOf(parts.length, offset, Buffer.concat(directory).length)]);
}

function fieldsOf({ name, content, declaredSize, isEncrypted }: ZipPart): {
  common: Buffer;
  name: Buffer;
  data: Buffer;
} {
  const raw = Buffer.from(content);
  const data = deflateRawSync(raw);
  const common = Buffer.alloc(26);
  common.writeUInt16LE(20, 0);
  common.writeUInt16LE(isEncrypted ? 1 : 0, 2);
  common.writeUInt16LE(8, 4);
  common.writeUInt32LE(crc32(raw), 10);
  common.writeUInt32LE(data.length, 14);
  common.writeUInt32LE(declaredSize ?? raw.length, 18);
  common.writeUInt16LE(Buffer.byteLength(name), 22);
  return { common, name: Buffer.from(name), data };
}

function endOf(count: number, directoryAt: number, directoryBytes: number): Buffer {
  const end = Buffer.alloc(22);
  end.write('PK\x05\x06', 'latin1');
  end.writeUInt16LE(count, 8);
  end.writeUInt16LE(count, 10);
  end.writeUInt32LE(directoryBytes, 12);
  end.writeUInt32LE(directoryAt, 16);
  return end;
}
