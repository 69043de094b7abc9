/**
 * The built console, read into memory at start: a closed list of files, so that no path reaches the disk, and a build
 * that happens while the server runs takes nothing from under it.
 */
import { join } from 'node:path';
import { z } from 'zod';
import { markSvg } from '../core/mark.ts';
import { StartError } from '../env.ts';
import { accepts } from './encoding.ts';
import type { SharedFile } from './shared-files.ts';

const PREFIX = '/_a/';
const FOREVER = 'public, max-age=31536000, immutable';
const A_DAY = 'public, max-age=86400';

const codeShape = z.object({
  entry: z.string(),
  /** Files that every page needs beside the entry. */
  shared: z.array(z.string()),
  /** By page: `token.add` is what `/token/add` needs. */
  pages: z.record(z.string(), z.array(z.string())),
});

const manifestShape = z.object({
  css: z.array(z.string()),
  /** By language: each file of code brings the texts that it asks for. */
  code: z.object({ zh: codeShape, en: codeShape }),
  files: z.array(z.string()),
  /** Pictures of the mark, each at the address of its name. */
  icons: z.array(z.string()),
});

type Code = z.infer<typeof codeShape>;

interface Bodies {
  identity: Blob;
  gzip?: Blob;
  br?: Blob;
}

interface Asset {
  type: string;
  cacheControl: string;
  bodies: Bodies;
}

export interface Assets {
  /** Paths as a page links to them. */
  css: string[];
  code: Record<'zh' | 'en', Code>;
  /** What a GET or HEAD of a built file is answered with, or null when there is none of that path. */
  find(request: Request): SharedFile | null;
}

const types: Record<string, string> = {
  js: 'text/javascript; charset=utf-8',
  css: 'text/css; charset=utf-8',
  svg: 'image/svg+xml',
};

/** Throws StartError when there is no build, or one that this server does not understand. */
export async function openAssets(folder: string): Promise<Assets> {
  const text = await Bun.file(join(folder, 'manifest.json'))
    .json()
    .catch(() => null);
  const parsed = manifestShape.safeParse(text);
  if (!parsed.success) {
    throw new StartError(`The console is not built (${folder}). Run: bun scripts/build.ts`);
  }
  const manifest = parsed.data;
  const assets = new Map<string, Asset>();
  for (const file of manifest.files) {
    const read = async (ending: string) => new Blob([await Bun.file(join(folder, file + ending)).bytes()]);
    const [identity, gzip, br] = await Promise.all([read(''), read('.gz'), read('.br')]);
    const type = types[file.slice(file.lastIndexOf('.') + 1)] ?? 'application/octet-stream';
    assets.set(PREFIX + file, { type, cacheControl: FOREVER, bodies: { identity, gzip, br } });
  }
  const icon: Asset = {
    type: 'image/svg+xml',
    cacheControl: A_DAY,
    bodies: { identity: new Blob([markSvg()]) },
  };
  assets.set('/favicon.svg', icon).set('/favicon.ico', icon);
  for (const file of manifest.icons) {
    const identity = new Blob([await Bun.file(join(folder, file)).bytes()]);
    assets.set(`/${file}`, { type: 'image/png', cacheControl: A_DAY, bodies: { identity } });
  }

  const linked = (files: readonly string[]) => files.map((file) => PREFIX + file);
  const codeOf = ({ entry, shared, pages }: Code): Code => ({
    entry: PREFIX + entry,
    shared: linked(shared),
    pages: Object.fromEntries(Object.entries(pages).map(([page, files]) => [page, linked(files)])),
  });
  return {
    css: linked(manifest.css),
    code: { zh: codeOf(manifest.code.zh), en: codeOf(manifest.code.en) },
    find(request) {
      const asset = assets.get(new URL(request.url).pathname);
      return asset ? fileOf(asset, request) : null;
    },
  };
}

function fileOf({ type, cacheControl, bodies }: Asset, request: Request): SharedFile {
  const encoding = (['br', 'gzip'] as const).find((name) => bodies[name] && accepts(request, name));
  return {
    body: (encoding && bodies[encoding]) ?? bodies.identity,
    headers: {
      'content-type': type,
      'cache-control': cacheControl,
      vary: 'accept-encoding',
      ...(encoding && { 'content-encoding': encoding }),
    },
  };
}
