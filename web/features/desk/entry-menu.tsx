/** What can be done with every entry: edit it, or delete it after a question. */
import { Pencil, Trash2 } from 'lucide-react';
import { ActionMenu } from '@/components/action-menu.tsx';
import type { Question } from '@/components/question.ts';
import { useTranslation } from '@/lib/use-translation.ts';
import { useEditing } from './use-editing.ts';
import { useEntryActions } from './use-entry-actions.ts';

interface EntryMenuProps {
  id: number;
  name: string;
  question: Pick<Question, 'title' | 'body'>;
  remove: () => Promise<unknown>;
  /** Said of a deletion; a general word unless given. */
  done?: string;
}

export function EntryMenu({ id, name, question, remove, done }: EntryMenuProps) {
  const { t } = useTranslation();
  const { open } = useEditing();
  const actions = useEntryActions();
  return (
    <ActionMenu
      label={t('table.more', { name })}
      actions={[
        { label: t('desk.edit'), icon: Pencil, run: () => open(String(id)) },
        {
          label: t('desk.delete'),
          icon: Trash2,
          danger: true,
          separated: true,
          run: () => void actions.remove(question, remove, done),
        },
      ]}
    />
  );
}
