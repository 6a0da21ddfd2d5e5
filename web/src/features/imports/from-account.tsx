import { Button, Group, Radio, Stack } from '@mantine/core'
import { IconBrandWhatsapp } from '@tabler/icons-react'
import { useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { mayDo, useCurrentUser } from '../../api/session.ts'
import { useAction } from '../../api/use-action.ts'
import { GroupPicker } from '../../forms/group-picker.tsx'
import { InstanceSelect } from '../../forms/instance-select.tsx'
import { BusyButton } from '../../ui/busy-button.tsx'
import { Dialog } from '../../ui/dialog.tsx'

const PAGE_SIZE = 1000

/** Takes people from an account: its address book, or the members of groups. */
export function FromAccount() {
  const { t } = useTranslation()
  const [isOpen, setOpen] = useState(false)
  return (
    <>
      <Button
        variant="default"
        leftSection={<IconBrandWhatsapp size={16} aria-hidden />}
        onClick={() => setOpen(true)}
      >
        {t('IMPORT.FROM_ACCOUNT')}
      </Button>
      {isOpen && <AccountDialog onClose={() => setOpen(false)} />}
    </>
  )
}

function AccountDialog({ onClose }: { onClose: () => void }) {
  const { t } = useTranslation()
  const navigate = useNavigate()
  const mayExport = mayDo('canExportParticipants', useCurrentUser())
  const [instanceId, setInstanceId] = useState(0)
  const [what, setWhat] = useState('addressBook')
  const [groupIds, setGroupIds] = useState<number[]>([])
  const create = useAction('POST /imports/from-account', {})
  const hasGroups = what === 'groups'
  const isReady = instanceId !== 0 && (!hasGroups || groupIds.length > 0)
  const submit = () =>
    create.mutate(
      { body: { instanceId, groupIds: hasGroups ? groupIds : [] } },
      { onSuccess: ({ id }) => void navigate({ to: '/imports/$id', params: { id: String(id) } }) },
    )
  return (
    <Dialog onClose={onClose} title={t('IMPORT.FROM_ACCOUNT')}>
      <Stack>
        <InstanceSelect
          pageSize={PAGE_SIZE}
          value={instanceId}
          onChange={(id) => {
            setInstanceId(id)
            setGroupIds([])
          }}
        />
        <Radio.Group label={t('IMPORT.WHAT')} value={what} onChange={setWhat}>
          <Stack gap="xs" mt={4}>
            <Radio value="addressBook" label={t('IMPORT.WHAT_ADDRESSBOOK')} />
            {mayExport && <Radio value="groups" label={t('IMPORT.WHAT_GROUPS')} />}
          </Stack>
        </Radio.Group>
        {hasGroups && (
          <GroupPicker
            key={instanceId}
            instanceId={instanceId}
            pageSize={PAGE_SIZE}
            onlyGroups
            value={groupIds}
            onChange={setGroupIds}
          />
        )}
        <Group justify="flex-end">
          <Button variant="default" onClick={onClose}>
            {t('COMMON.CANCEL')}
          </Button>
          <BusyButton isBusy={create.isPending} disabled={!isReady} onClick={submit}>
            {t('IMPORT.CONTINUE')}
          </BusyButton>
        </Group>
      </Stack>
    </Dialog>
  )
}
