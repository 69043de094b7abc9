import type { TextKey } from '@/lib/text-key.ts';
import { TEST_JOB } from './calls.ts';

export const jobTitle = (path: string): TextKey => (path === TEST_JOB ? 'job.test' : 'job.balance');
