/** What saving will do to the channels under a tag, said before it is done. */
import { Notice } from '@/components/ui/notice.tsx';
import { useTranslation } from '@/lib/use-translation.ts';
import type { TagValues } from './tag-form.ts';

export function TagSummary({ tag, values, count }: { tag: string; values: TagValues; count: number }) {
  const { t } = useTranslation();
  const newTag = values.newTag.trim();
  const parts = [
    newTag === '' && t('channel.willDissolve'),
    newTag !== '' && newTag !== tag && t('channel.willRename', { tag: newTag }),
    values.models.length > 0 && t('channel.willModels', { count: values.models.length }),
    values.groups.length > 0 && t('channel.willGroups', { groups: values.groups.join(', ') }),
    values.mapping.trim() !== '' && t('channel.willMapping'),
    values.priority.trim() !== '' && t('channel.willPriority', { value: values.priority.trim() }),
    values.weight.trim() !== '' && t('channel.willWeight', { value: values.weight.trim() }),
  ].filter(Boolean);
  return (
    <div role="status" className="empty:hidden">
      {parts.length > 0 && (
        <Notice tone={newTag === '' ? 'warn' : 'plain'}>
          {t('channel.tagWill', { count, changes: parts.join(t('channel.tagWillJoin')) })}
        </Notice>
      )}
    </div>
  );
}
