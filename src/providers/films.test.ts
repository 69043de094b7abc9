/** Which seconds a model's films may have: one that makes its own length whatever it is asked for is asked for that alone. */
import { expect, it } from 'bun:test';
import { findProvider } from './registry.ts';

it.each(['kling', 'kling-v3', 'sora-2', 'Wan-AI/Wan2.2-T2V-A14B-Diffusers', 'zai-org/CogVideoX-5b', 'veo'])(
  'a gateway is asked for films of %s as long as they are wanted',
  (model) => expect(findProvider(1)?.tasks?.seconds?.(model)).toBeUndefined(),
);

it.each<[number, string, number[], number[]]>([
  [17, 'wan2.2-t2v-plus', [5], [1, 4, 6, 10]],
  [17, 'wan2.2-i2v-flash', [5], [1]],
  [17, 'wanx2.1-t2v-turbo', [5], [1, 4, 10]],
  [17, 'wanx2.1-i2v-turbo', [3, 4, 5], [2, 6]],
  [17, 'wan2.5-t2v-preview', [5, 10], [4, 8]],
  [17, 'wan2.6-t2v', [2, 15], [1, 16]],
  [17, 'wan9', [5, 60], [1, 4]],
  [26, 'cogvideox', [6], [1, 5]],
  [26, 'cogvideox-2', [6], [1, 5]],
  [26, 'CogVideoX-Flash', [6], [1, 5]],
  [26, 'cogvideox-3', [5, 10], [4, 6]],
  [26, 'viduq1-text', [5], [1, 4]],
  [35, 'MiniMax-Hailuo-02', [6, 10], [1, 8]],
  [35, 'T2V-01-Director', [6], [1, 10]],
  [35, 'another', [6], [5]],
  [45, 'doubao-seedance-1-0-pro-250528', [2, 12], [1, 13]],
  [45, 'doubao-seedance-1-5-pro', [4, 12], [3]],
  [45, 'ep-20250101', [5], [4]],
  [24, 'veo-3.1-generate-preview', [4, 6, 8], [1, 5, 9]],
  [24, 'veo-2.0-generate-001', [5, 8], [4, 9]],
  [41, 'veo-3.0-generate-001', [4, 6, 8], [1]],
  [41, 'another', [8], [7]],
  // Gateways serve what others have made.
  [1, 'jimeng_v30_pro', [5, 10], [1, 4, 9]],
  [1, 'jimeng_vgfm_t2v_l20', [5], [1, 10]],
  [1, 'kling-v2-6', [5, 10], [1, 8]],
  [1, 'kwaivgi/kling-v1.6-pro', [5, 10], [3]],
  [1, 'google/veo-3.1', [4, 6, 8], [1, 5]],
  [1, 'veo3-fast', [8], [1]],
  [1, 'minimax/hailuo-2.3', [6, 10], [1, 5]],
  [1, 'wan2.2-t2v-plus', [5], [1, 4, 6]],
  [1, 'bytedance/seedance-1-5-pro', [4, 12], [1]],
])('type %p makes films of %s of these seconds: %p', (type, model, makes, others) => {
  const seconds = findProvider(type)?.tasks?.seconds?.(model) ?? [];
  expect(makes.filter((length) => !seconds.includes(length))).toEqual([]);
  expect(others.filter((length) => seconds.includes(length))).toEqual([]);
});
