/** What every page needs. Mantine's components come with the shell, or with the dialog that uses them. */
import '@mantine/core/styles/baseline.layer.css'
import '@mantine/core/styles/default-css-variables.layer.css'
import '@mantine/core/styles/global.layer.css'
import './base.css'
