/** An address of any scheme, as others tell theirs. */
import { z } from 'zod';
import { urlOf } from '../url.ts';

export const urlText = z.string().refine((text) => urlOf(text) !== null);
