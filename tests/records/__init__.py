"""What the readers and forms do, module by module. Each test says who decided the behaviour."""
