# What git says about the work tree, before each model call.
required_providers {
  git-status = { source = "github.com/agentco/context-git-status", version = "~> 0.1" }
}

# Every attribute may be left out; an empty block is a complete configuration. Declare it after the static
# providers: what changes comes last, so that a prompt cache keeps what does not.
provider "git-status" {
  recent_commits = 3
  max_entries    = 40

  # Only for repositories whose .git directory is your own:
  # trust_repository_config = true
}
