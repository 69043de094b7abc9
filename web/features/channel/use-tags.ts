import { useEffect, useState } from 'react';
import { useApi } from '@/lib/page-context.ts';
import { getTags } from './calls.ts';

/** The tags that there are, to be suggested; none while they are not known. */
export function useTags(): readonly string[] {
  const api = useApi();
  const [tags, setTags] = useState<readonly string[]>([]);
  useEffect(() => {
    let isThere = true;
    getTags(api).then(
      (found) => isThere && setTags(found),
      // Without suggestions a tag can still be typed.
      () => undefined,
    );
    return () => {
      isThere = false;
    };
  }, [api]);
  return tags;
}
